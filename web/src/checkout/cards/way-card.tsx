/** The choice of how to pay. Options that this wallet can pay come first, and the others are collapsed. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Ways } from '../pay/use-ways.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { WayList } from '../ways/way-list.tsx';

type WayCardProps = {
  ways: Ways;
  /** A price is being locked, so the choice can no longer be changed. */
  isBusy: boolean;
  /** The formatted price of the session in its own currency. */
  fiat: string;
  choose: (tokenKey: string) => void;
  notice: ReactNode;
  who: ReactNode;
  children: ReactNode;
};

export function WayCard({ ways, isBusy, fiat, choose, notice, who, children }: WayCardProps) {
  const { t } = useTranslation();
  const isEmpty = ways.isThere && ways.all.length === 0;
  return (
    <div className={styles.stack}>
      {who}
      <CardHead title={t('checkout.way.title')} />
      {isEmpty ? (
        <Notice name="NO_WAY" />
      ) : (
        <WayList
          {...{ isBusy, fiat, choose }}
          ordered={ways.ordered}
          held={ways.held}
          isReading={ways.isReading}
          chosen={ways.chosen}
        />
      )}
      {notice}
      {children}
    </div>
  );
}
