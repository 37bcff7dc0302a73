/** A QR code whose program is loaded when the code is first shown. */
import { type ComponentType, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { QrCode } from './qr-code.tsx';

type QrCodeProps = Parameters<typeof QrCode>[0];

/** Without a network, the page remains usable: a link with the same content is always shown with the code. */
const Loaded = lazy(async (): Promise<{ default: ComponentType<QrCodeProps> }> => {
  try {
    return { default: (await import('./qr-code.tsx')).QrCode };
  } catch {
    return { default: Missing };
  }
});

export function LateQrCode(props: QrCodeProps) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}

function Missing() {
  const { t } = useTranslation();
  return <p>{t('everywhere.codeMissing')}</p>;
}
