import { useTranslation } from 'react-i18next';

/** An action in the reader's words; one that is newer than this page stays as it is called. */
export function useActionWords(): (action: string) => string {
  const { t, i18n } = useTranslation();
  return (action) => (i18n.exists(`audit.actions.${action}`) ? t(`audit.actions.${action}`) : action);
}
