import { useTranslation } from 'react-i18next';

/** An action as text in the viewer's language. An action that this page does not know is shown by its name. */
export function useActionWords(): (action: string) => string {
  const { t, i18n } = useTranslation();
  return (action) => (i18n.exists(`audit.actions.${action}`) ? t(`audit.actions.${action}`) : action);
}
