/** The ways to pay by network: a row each, with the cost in the token and in the session's currency, and the wallet's balance. */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import type { Held, Way } from '../pay/ways.ts';
import { NetworkMark, TokenMark } from './mark.tsx';
import { isLacking, type Network, shownWays } from './order-ways.ts';
import type { OrderedWays } from './use-settled-order.ts';
import styles from './ways.module.css';

type WayListProps = {
  /** Undefined until their order is settled. */
  ordered: OrderedWays | undefined;
  held: ReadonlyMap<number, Held>;
  isReading: boolean;
  /** A price is being locked, so the choice can no longer be changed. */
  isBusy: boolean;
  /** The formatted price of the session in its own currency. */
  fiat: string;
  chosen: Way | undefined;
  choose: (tokenKey: string) => void;
};

export function WayList(props: WayListProps) {
  const { ordered, held } = props;
  const { t } = useTranslation();
  if (!ordered) {
    return (
      <div className={styles.networks} data-ways="loading">
        <Skeleton height={20} />
        <Skeleton height={60} isSilent />
        <Skeleton height={60} isSilent />
      </div>
    );
  }
  const { payable, lacking } = shownWays(ordered.ways, { held, lackingKeys: ordered.lackingKeys });
  return (
    <div
      className={styles.networks}
      role="radiogroup"
      aria-label={t('checkout.way.title')}
      data-ways={props.isReading ? 'reading' : 'shown'}
    >
      {payable.map((network) => (
        <NetworkRows key={network.chainId} network={network} {...props} />
      ))}
      {lacking.length > 0 && (
        <details className={styles.lacking} open={payable.length === 0}>
          <summary>{t('checkout.way.lacking', { count: lacking.flatMap((network) => network.ways).length })}</summary>
          <div className={styles.networks}>
            {lacking.map((network) => (
              <NetworkRows key={network.chainId} network={network} {...props} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function NetworkRows({ network, ...props }: { network: Network } & WayListProps) {
  return (
    <div className={styles.network}>
      <p className={styles.networkName}>
        <NetworkMark chainId={network.chainId} name={network.name} />
        {network.name}
      </p>
      <div className={styles.rows}>
        {network.ways.map((way) => (
          <WayRow key={way.tokenKey} way={way} {...props} />
        ))}
      </div>
    </div>
  );
}

function WayRow({ way, held, isReading, isBusy, fiat, chosen, choose }: { way: Way } & WayListProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const isOff = isLacking(way, held);
  const amount = formats.token(way.cryptoAmount, way.decimals);
  const has = way.held === undefined ? undefined : formats.token(way.held, way.decimals).words;
  const note = () => {
    if (has === undefined) return t(isReading ? 'checkout.way.reading' : 'checkout.way.unread');
    if (way.isShort) return t('checkout.way.short', { has, symbol: way.symbol });
    return isOff ? t('checkout.way.noGas') : t('checkout.way.has', { has, symbol: way.symbol });
  };
  return (
    <label className={styles.row} data-off={isOff || undefined} data-way={way.tokenKey}>
      <input
        type="radio"
        name="way"
        value={way.tokenKey}
        checked={way.tokenKey === chosen?.tokenKey}
        disabled={isOff || isBusy}
        onChange={() => choose(way.tokenKey)}
      />
      <TokenMark symbol={way.symbol} />
      <span className={styles.name}>
        <span>
          {way.symbol}
          <span className="visually-hidden"> {t('checkout.way.onChain', { chain: way.chainName })}</span>
        </span>
        <span className={styles.small}>{note()}</span>
      </span>
      <span className={styles.side} title={`${amount.exact} ${way.symbol}`}>
        <span>
          {amount.words} {way.symbol}
        </span>
        <span className={styles.small}>{fiat}</span>
      </span>
    </label>
  );
}
