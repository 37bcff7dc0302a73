/** How to pay: what this wallet can pay first, the rest grey with the reason. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { type Held, lacksGas, type Way } from '../pay/ways.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';

type WayCardProps = {
  ways: readonly Way[];
  /** Whether the ways to pay are loaded. */
  isThere: boolean;
  held: ReadonlyMap<number, Held>;
  isReading: boolean;
  /** A price is being held: another choice would come too late. */
  isBusy: boolean;
  chosen: Way | undefined;
  choose: (tokenKey: string) => void;
  notice: ReactNode;
  who: ReactNode;
  children: ReactNode;
};

export function WayCard(props: WayCardProps) {
  const { ways, isThere, held, isReading, isBusy, chosen, choose, notice, who, children } = props;
  const { t } = useTranslation();
  return (
    <div className={styles.stack}>
      {who}
      <CardHead title={t('checkout.way.title')} />
      {isThere && ways.length === 0 && <Notice name="NO_WAY" />}
      <div className={styles.list} role="radiogroup" aria-label={t('checkout.way.title')} aria-busy={!isThere}>
        {ways.map((way) => (
          <WayChoice
            key={way.tokenKey}
            way={way}
            held={held.get(way.chainId)}
            isReading={isReading}
            isBusy={isBusy}
            isChosen={way.tokenKey === chosen?.tokenKey}
            choose={choose}
          />
        ))}
      </div>
      {notice}
      {children}
    </div>
  );
}

type WayChoiceProps = {
  way: Way;
  held: Held | undefined;
  isReading: boolean;
  isBusy: boolean;
  isChosen: boolean;
  choose: (tokenKey: string) => void;
};

function WayChoice({ way, held, isReading, isBusy, isChosen, choose }: WayChoiceProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const lacks = way.methods.every((method) => lacksGas(way, method, held));
  const isOff = way.isShort || lacks;
  const amount = formats.token(way.cryptoAmount, way.decimals);
  const has = way.held === undefined ? undefined : formats.token(way.held, way.decimals).words;
  const note = () => {
    if (has === undefined) return t(isReading ? 'checkout.way.reading' : 'checkout.way.unread');
    if (way.isShort) return t('checkout.way.short', { has, symbol: way.symbol });
    return lacks ? t('checkout.way.noGas') : t('checkout.way.has', { has, symbol: way.symbol });
  };
  return (
    <label className={styles.choice} data-off={isOff || undefined} data-way={way.tokenKey}>
      <input
        type="radio"
        name="way"
        value={way.tokenKey}
        checked={isChosen}
        disabled={isOff || isBusy}
        onChange={() => choose(way.tokenKey)}
      />
      <span className={styles.choiceName}>{t('checkout.way.on', { symbol: way.symbol, chain: way.chainName })}</span>
      <span className={styles.choiceSide} title={`${amount.exact} ${way.symbol}`}>
        {amount.words} {way.symbol}
      </span>
      <span className={styles.choiceNote}>{note()}</span>
    </label>
  );
}
