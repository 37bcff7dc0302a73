/** The refunds of a payment as its payer sees them: the amount, the time, the reason, and the transaction. */
import { useTranslation } from 'react-i18next';
import type { ShownRefundFragment } from '../../../generated/web/documents.ts';
import { tokenOf } from '../settings.ts';
import { Address } from '../ui/addresses/address.tsx';
import { useFormats } from '../ui/formats/use-formats.ts';
import { Status } from '../ui/state/status.tsx';
import type { Tone } from '../ui/state/tones.ts';
import { currentRefunds, type RefundState, refundState } from './refund-summary.ts';
import styles from './refunds.module.css';

const tones: Record<RefundState, Tone> = { UNDER_WAY: 'wait', REFUNDED: 'good', WAITING: 'wait', FAILED: 'quiet' };

type PayerRefundsProps = { refunds: readonly ShownRefundFragment[]; payee: string };

export function PayerRefunds({ refunds, payee }: PayerRefundsProps) {
  const { t } = useTranslation();
  const shown = currentRefunds(refunds);
  if (shown.length === 0) return null;
  return (
    <section className={styles.refunds} aria-label={t('refunds.title', { count: shown.length })}>
      <h3 className={styles.title}>{t('refunds.title', { count: shown.length })}</h3>
      <ul className={styles.list}>
        {shown.map((refund) => (
          <RefundItem key={refund.createdAt} refund={refund} payee={payee} />
        ))}
      </ul>
    </section>
  );
}

function RefundItem({ refund, payee }: { refund: ShownRefundFragment; payee: string }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const state = refundState(refund);
  const token = tokenOf(refund.tokenKey);
  const figure = formats.token(refund.amount, token?.decimals ?? 0);
  const symbol = token?.symbol ?? refund.tokenKey;
  const at = new Date(refund.confirmedAt ?? refund.createdAt);
  return (
    <li className={styles.refund} data-refund={state}>
      <div className={styles.line}>
        <span className={styles.amount} title={`${figure.exact} ${symbol}`}>
          {figure.words} {symbol}
        </span>
        <Status status={state} tone={tones[state]}>
          {t(`refunds.state.${state}`)}
        </Status>
      </div>
      <p className={styles.soft}>
        <time dateTime={at.toISOString()}>
          {t(refund.confirmedAt ? 'refunds.at' : 'refunds.requestedAt', { at: formats.absolute(at) })}
        </time>
      </p>
      {state !== 'REFUNDED' && <p className={styles.soft}>{t(`refunds.words.${state}`, { name: payee })}</p>}
      {refund.reason && (
        <p className={styles.reason}>
          <span className={styles.soft}>{t('refunds.reason')}</span> <span>{refund.reason}</span>
        </p>
      )}
      {refund.txHash && state !== 'FAILED' && (
        <p className={styles.line}>
          <span className={styles.soft}>{t('refunds.transaction')}</span>
          <Address value={refund.txHash} kind="transaction" chainId={refund.chainId} />
        </p>
      )}
    </li>
  );
}
