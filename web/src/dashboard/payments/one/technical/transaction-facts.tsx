/** A transaction on its chain: its hash, its block, its confirmations, and the logs of the contract. */
import { useTranslation } from 'react-i18next';
import { chainOf } from '../../../../settings.ts';
import { Address } from '../../../../ui/addresses/address.tsx';
import { useFormats } from '../../../../ui/formats/use-formats.ts';
import { symbolOf } from '../payment-money.ts';
import type { PaymentStory, StoryTransaction } from '../payment-steps.ts';
import styles from './payment-timeline.module.css';

type TransactionFactsProps = { transaction: StoryTransaction; payment: PaymentStory };

export function TransactionFacts({ transaction, payment }: TransactionFactsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { chainId, txHash, blockNumber, confirmations, finality, amount, gasCost, error, logs } = transaction;
  const decimals = payment.cryptoTokenDecimals;
  const figure = amount == null || decimals == null ? null : formats.token(amount, decimals);
  return (
    <div className={styles.facts}>
      {figure && (
        <p title={figure.exact}>
          {figure.words} {symbolOf(payment)}
        </p>
      )}
      <p className={styles.hash}>
        {txHash ? (
          <Address value={txHash} chainId={chainId} kind="transaction" />
        ) : (
          <span className={styles.soft}>{t('payments.story.notSent')}</span>
        )}
      </p>
      {blockNumber !== null && (
        <p className={styles.soft}>
          {t('payments.story.block', { chain: chainOf(chainId)?.name ?? chainId, number: blockNumber })}
          {confirmations !== null && ` · ${t('payments.story.confirmations', { count: confirmations })}`}
          {finality && ` · ${t(`payments.story.finality.${finality}`)}`}
        </p>
      )}
      {gasCost && <GasCost cost={gasCost} />}
      {error && <p className={styles.fault}>{error}</p>}
      {logs.length > 0 && (
        <details className={styles.logs}>
          <summary>{t('payments.story.logs', { count: logs.length })}</summary>
          {logs.map((log) => (
            <div key={log.logIndex}>
              <p>
                <code>{log.name}</code>{' '}
                <span className={styles.soft}>{t('payments.story.log', { number: log.logIndex })}</span>
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
              <pre tabIndex={0}>
                <code>{JSON.stringify(log.args, null, 2)}</code>
              </pre>
            </div>
          ))}
        </details>
      )}
    </div>
  );
}

function GasCost({ cost }: { cost: NonNullable<StoryTransaction['gasCost']> }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { amount, coin, decimals, amountUsd } = cost;
  const figure = formats.token(amount, decimals);
  const exact = `${figure.exact} ${coin}`;
  return (
    <p
      className={styles.soft}
      title={
        amountUsd === null
          ? exact
          : t('payments.story.gasValue', { cost: exact, value: formats.fiat(amountUsd, 'USD') })
      }
    >
      {t('payments.story.gas', { cost: `${figure.words} ${coin}` })}
      {amountUsd !== null && ` · ${formats.smallFiat(amountUsd, 'USD')}`}
    </p>
  );
}
