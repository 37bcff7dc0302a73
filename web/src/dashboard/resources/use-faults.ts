/** The faults of a form's fields in the viewer's language: `const faults = useFaults(error, ['name', 'slug'])`. */
import { useTranslation } from 'react-i18next';
import { fieldFaults, limitWords } from './field-faults.ts';

export function useFaults<Param extends string>(error: unknown, params: readonly Param[]) {
  const { t } = useTranslation();
  const { byParam, rest } = fieldFaults(error, params);
  const at = (param: Param): string | undefined => {
    const message = byParam.get(param);
    if (message === undefined) return undefined;
    const limit = limitWords(message);
    return limit ? t(`catalog.limits.${limit.key}`, limit.values) : message;
  };
  return { at, rest };
}
