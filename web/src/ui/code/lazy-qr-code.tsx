/** A QR code whose library is loaded when it is first shown. */
import { type ComponentType, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { QrCode } from './qr-code.tsx';

type QrCodeProps = Parameters<typeof QrCode>[0];

/** The page remains usable if the library cannot be loaded, because a link with the same content is always shown next to the QR code. */
const Loaded = lazy(async (): Promise<{ default: ComponentType<QrCodeProps> }> => {
  try {
    return { default: (await import('./qr-code.tsx')).QrCode };
  } catch {
    return { default: Missing };
  }
});

export function LazyQrCode(props: QrCodeProps) {
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
