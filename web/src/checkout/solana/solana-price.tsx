/** The exact locked amount, and the time until it expires. */
import { useTranslation } from 'react-i18next';
import { quoteRemainingMs } from '../../settings.ts';
import { classNames } from '../../ui/class-names.ts';
import { countdown } from '../../ui/formats/time.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import styles from '../view/cards.module.css';
import type { SolanaQuote } from './solana-quote.ts';

const LAST_MINUTE_MS = 60_000;

export function SolanaPrice({ quote, now }: { quote: SolanaQuote; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { option } = quote;
  const amount = formats.token(quote.cryptoAmount, option.decimals);
  const remainingMs = quoteRemainingMs(quote.expiresAt, now);
  const isUrgent = remainingMs < LAST_MINUTE_MS;
  return (
    <div className={styles.quote}>
      <span className={styles.sum}>
        {amount.exact} {option.symbol}
      </span>
      <span className={styles.small}>{option.chainName}</span>
      <span className={classNames(styles.small, isUrgent && styles.urgent)} role={isUrgent ? 'timer' : undefined}>
        {remainingMs > 0 ? t('solana.left', { time: countdown(remainingMs) }) : t('solana.over')}
      </span>
    </div>
  );
}
