/** An address that leads nowhere: the way on is to ask whoever gave it. */
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
