/** An amount of money: fiat first, below it the token with its symbol and chain, and the exact figure on hover. */
import { classNames } from '../class-names.ts';
import { useFormats } from '../formats/use-formats.ts';
import styles from './amounts.module.css';

export type TokenAmount = {
  /** Base units. */
  units: bigint | string;
  decimals: number;
  symbol: string;
  /** The chain's name. */
  chain?: string;
};

type AmountProps = {
  /** A decimal string. */
  fiat?: { amount: string; currency: string } | undefined;
  token?: TokenAmount | undefined;
  size?: 'normal' | 'large';
};

export function Amount({ fiat, token, size = 'normal' }: AmountProps) {
  const formats = useFormats();
  const figure = token && formats.token(token.units, token.decimals);
  return (
    <span className={classNames(styles.amount, size === 'large' && styles.large)}>
      {fiat && <span className={styles.fiat}>{formats.fiat(fiat.amount, fiat.currency)}</span>}
      {token && figure && (
        <span className={styles.token} title={`${figure.exact} ${token.symbol}`}>
          <span className={styles.whole}>
            {figure.words} {token.symbol}
          </span>
          {token.chain && ` · ${token.chain}`}
        </span>
      )}
    </span>
  );
}
