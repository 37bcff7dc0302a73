import { useTranslation } from 'react-i18next';
import type { DeveloperEndpointFragment } from '../../../../../generated/web/documents.ts';
import { Status } from '../../../ui/state/status.tsx';

export function EndpointState({ endpoint }: { endpoint: DeveloperEndpointFragment }) {
  const { t } = useTranslation();
  if (endpoint.active) return <Status status="ACTIVE">{t('developers.webhooks.on')}</Status>;
  return (
    <Status status="DISABLED" tone={endpoint.disabledReason ? 'bad' : 'quiet'}>
      {t('developers.webhooks.off')}
    </Status>
  );
}
