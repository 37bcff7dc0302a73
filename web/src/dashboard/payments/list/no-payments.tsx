/** Instead of an empty list: the call that would fill it, or the filters that hide everything. */
import { useTranslation } from 'react-i18next';
import { settings } from '../../../settings.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Empty } from '../../../ui/state/empty.tsx';

export function NoPayments({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (isNarrowed) {
    return (
      <Empty
        title={t('payments.none.narrowed')}
        actions={<Button onPress={onClear}>{t('payments.filters.clear')}</Button>}
      />
    );
  }
  const call = [
    `curl ${settings.publicUrl}/payments/intents`,
    "-H 'x-api-key: <secret key>'",
    "-H 'content-type: application/json'",
    `-d '{"amount":"12.50","currency":"USD"}'`,
  ].join(' \\\n  ');
  return (
    <Empty title={t('payments.none.title')} call={call}>
      {t('payments.none.how')}
    </Empty>
  );
}
