/** The locked price, and the button that pays it with the connected wallet. */
import { useTranslation } from 'react-i18next';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import type { ConnectedSolanaWallet } from '../../wallet/solana/found-wallets.ts';
import { StartOver } from '../cards/start-over.tsx';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { Custody } from './custody.tsx';
import { SolanaPrice } from './solana-price.tsx';
import type { SolanaQuote } from './solana-quote.ts';
import type { SolanaPayment } from './use-solana-payment.ts';

type SolanaQuoteCardProps = {
  quote: SolanaQuote;
  connected: ConnectedSolanaWallet;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  payment: SolanaPayment;
};

export function SolanaQuoteCard({ quote, connected, now, payment }: SolanaQuoteCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { work } = payment;
  const { option } = quote;
  const isBusy = work !== undefined;
  const amount = `${formats.token(quote.cryptoAmount, option.decimals).words} ${option.symbol}`;
  const isOver = (quote.expiresAt <= now || !quote.isChecked) && !isBusy;
  const lack = quote.isShort ? 'TOO_LITTLE' : isOver ? 'QUOTE_EXPIRED' : undefined;
  const fault = quote.isChecked ? (payment.fault ?? lack) : 'MISMATCH';
  return (
    <div className={styles.stack}>
      <div className={styles.who}>
        <Address value={connected.account.address} isBare />
        <Button look="bare" size="small" isDisabled={isBusy} onPress={payment.drop}>
          {t('solana.other')}
        </Button>
      </div>
      <CardHead title={t('solana.check')}>{t('solana.sentence', { amount })}</CardHead>
      <SolanaPrice quote={quote} now={now} />
      {fault && <Notice name={fault} values={{ chain: option.chainName }} />}
      <Custody />
      <div className={styles.actions}>
        {isOver ? (
          <Button look="primary" size="large" isWide onPress={payment.requote}>
            {t('solana.requote')}
          </Button>
        ) : (
          <Button
            look="primary"
            size="large"
            isWide
            isBusy={isBusy}
            busyWords={work && t(`solana.busy.${work}`)}
            isDisabled={quote.isShort}
            onPress={payment.pay}
          >
            {t('solana.pay', { amount })}
          </Button>
        )}
        {work && <StartOver work={work} startOver={payment.startOver} />}
      </div>
    </div>
  );
}
