/** Saves settings of the selected app and confirms it. Errors of the API are shown next to the fields that they name. */
import { useTranslation } from 'react-i18next';
import {
  DashboardViewerDocument,
  ServerPaymentSettingDocument,
  SettingsAppDocument,
  type SettingsAppQuery,
  SettingsUpdateAppDocument,
  type UpdateAppInput,
} from '../../../../generated/web/documents.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';

export type SettingsOfApp = SettingsAppQuery['app'];

export function useSave() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const showToast = useToasts();
  const update = useApiMutation(SettingsUpdateAppDocument, {
    changes: [SettingsAppDocument, DashboardViewerDocument, ServerPaymentSettingDocument],
  });
  return {
    save: (input: UpdateAppInput) =>
      update.mutate({ id: app.id, input }, { onSuccess: () => showToast({ title: t('settings.saved') }) }),
    isSaving: update.isPending,
    error: update.error,
  };
}
