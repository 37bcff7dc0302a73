/** Shown for an unknown address. The payer should contact the sender of the link. */
import { useTranslation } from 'react-i18next';
import { CardHead } from './card-head.tsx';
import { PageFrame } from './page-frame.tsx';

export function UnknownPage({ what }: { what: 'session' | 'link' }) {
  const { t } = useTranslation();
  return (
    <PageFrame>
      <CardHead icon="info" title={t(`checkout.unknown.${what}.title`)}>
        {t(`checkout.unknown.${what}.words`)}
      </CardHead>
    </PageFrame>
  );
}
