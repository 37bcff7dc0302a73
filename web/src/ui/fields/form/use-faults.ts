/** The faults of a form's fields in the viewer's language: `const faults = useFaults(error, ['name', 'slug'])`. */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../formats/use-formats.ts';
import { fieldFaults, leafOf, limitWords, lineOf, plainName, sinkWords } from './field-faults.ts';

export function useFaults<Param extends string>(error: unknown, params: readonly Param[]) {
  const { messageWords } = useFaultWords();
  const { byParam, rest } = fieldFaults(error, params);
  const at = (param: Param): string | undefined => {
    const message = byParam.get(param);
    return message === undefined ? undefined : messageWords(message);
  };
  return { at, rest };
}

/** The API's messages and field names in the viewer's language. */
export function useFaultWords() {
  const { t } = useTranslation();
  const formats = useFormats();
  const messageWords = (message: string): string => {
    const limit = limitWords(message);
    if (limit) {
      const values: Record<string, string> = Object.fromEntries(
        Object.entries(limit.values).map(([name, value]) => [name, limit.isSpan ? formats.span(Number(value)) : value]),
      );
      return t(`everywhere.limits.${limit.key}`, values);
    }
    const unchanged = message.charAt(0).toUpperCase() + message.slice(1);
    const sink = sinkWords(message);
    // Only the pages on which addresses are entered load these texts.
    return sink ? t(`payer.credits.sink.${sink.kind}`, { ...sink.values, defaultValue: unchanged }) : unchanged;
  };
  const fieldWords = (param: string): string => {
    const leaf = leafOf(param);
    const name = t(`everywhere.fields.${leaf}`, { defaultValue: plainName(leaf) });
    const line = lineOf(param);
    return line === undefined ? name : t('everywhere.fieldOfLine', { name, line });
  };
  return { messageWords, fieldWords };
}
