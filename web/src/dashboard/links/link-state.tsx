/** Whether a link accepts payments. An active link that nobody could pay does not. */
import { useTranslation } from 'react-i18next';
import { Status } from '../../ui/state/status.tsx';

export function LinkState({ link }: { link: { isActive: boolean; isPayable: boolean } }) {
  const { t } = useTranslation();
  if (!link.isActive) return <Status status="INACTIVE">{t('links.inactive')}</Status>;
  if (link.isPayable) return <Status status="ACTIVE">{t('links.active')}</Status>;
  return (
    <Status status="UNPAYABLE" tone="bad">
      {t('links.unpayable')}
    </Status>
  );
}
