/** Shown instead of an empty list: the ways to create a payment, or the filters that exclude all payments. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button/button.tsx';
import { Empty } from '../../../ui/state/empty.tsx';
import { FirstPaymentWays } from '../../setup/first-payment-ways.tsx';

export function NoPayments({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (isNarrowed) {
    return (
      <Empty
        title={t('payments.none.narrowed')}
        actions={<Button onPress={onClear}>{t('payments.filters.clear')}</Button>}
      >
        {t('payments.none.narrowedHow')}
      </Empty>
    );
  }
  return (
    <Empty title={t('payments.none.title')} actions={<FirstPaymentWays />}>
      {t('payments.none.how')}
    </Empty>
  );
}
