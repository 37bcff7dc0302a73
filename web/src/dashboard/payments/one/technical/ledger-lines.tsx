/** The ledger lines of a step. Their sum is zero. */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../../../ui/formats/use-formats.ts';
import { symbolOf } from '../payment-money.ts';
import type { PaymentStory, StoryEntry } from '../payment-steps.ts';
import styles from './payment-timeline.module.css';

export function LedgerLines({ entries, payment }: { entries: readonly StoryEntry[]; payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const decimals = payment.cryptoTokenDecimals ?? 0;
  return (
    <table className={styles.ledger}>
      <caption>{t('payments.story.ledger')}</caption>
      <tbody>
        {entries.map((entry) => {
          const figure = formats.token(entry.amount, decimals);
          return (
            <tr key={entry.id}>
              <th scope="row">{t(`payments.account.${entry.account}`)}</th>
              <td title={figure.exact}>
                {BigInt(entry.amount) > 0n ? '+' : ''}
                {figure.words} {symbolOf(payment)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
