/** The frame of the page in all of its states: the title, the wallet, and the languages. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address as EvmAddress } from 'viem';
import { Address } from '../../ui/addresses/address.tsx';
import { PageFooter } from '../../ui/page-footer.tsx';
import styles from './payer.module.css';

type PageFrameProps = {
  wallet?: EvmAddress;
  /** Set if the content has no heading. The title is then available to screen readers only. */
  hasNoHeading?: boolean;
  children: ReactNode;
};

export function PageFrame({ wallet, hasNoHeading = false, children }: PageFrameProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <span className={styles.brand}>{t('payer.brand')}</span>
        {wallet && <Address value={wallet} />}
      </header>
      <main className={styles.main}>
        {hasNoHeading && <h1 className="visually-hidden">{t('payer.title')}</h1>}
        {children}
      </main>
      <PageFooter>{t('payer.foot')}</PageFooter>
    </div>
  );
}
