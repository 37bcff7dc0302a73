/** The payment as a QR code, and as the values to type into a wallet that cannot scan. The page detects the payment automatically. */
import { useTranslation } from 'react-i18next';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { QrCode } from '../../ui/code/qr-code.tsx';
import { CardHead } from '../view/card-head.tsx';
import cards from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { Custody } from './custody.tsx';
import styles from './solana-code.module.css';
import { SolanaPrice } from './solana-price.tsx';
import type { SolanaQuote } from './solana-quote.ts';
import type { SolanaPayment } from './use-solana-payment.ts';

type SolanaCodeProps = {
  quote: SolanaQuote;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  payment: SolanaPayment;
};

export function SolanaCode({ quote, now, payment }: SolanaCodeProps) {
  const { t } = useTranslation();
  const { option, recipient, amount } = quote;
  const isOver = quote.expiresAt <= now;
  const fault = payment.fault ?? (isOver ? 'QUOTE_EXPIRED' : undefined);
  return (
    <div className={cards.stack}>
      <CardHead title={t('solana.code.title')}>{t('solana.code.words')}</CardHead>
      {!isOver && (
        <QrCode
          text={quote.paymentUrl}
          label={t('solana.code.alt', { amount, symbol: option.symbol })}
          data-payment-url={quote.paymentUrl}
        />
      )}
      <SolanaPrice quote={quote} now={now} />
      {!isOver && (
        <>
          <p className={styles.watching} role="status">
            <span className={styles.dot} aria-hidden="true" />
            {t('solana.code.watching')}
          </p>
          <details className={cards.others}>
            <summary>{t('solana.code.byHand')}</summary>
            <dl className={styles.byHand}>
              <dt>{t('solana.code.address')}</dt>
              <dd>
                <Address value={recipient} chainId={option.chainId} isFull />
              </dd>
              <dt>{t('solana.code.amount')}</dt>
              <dd>
                {amount} {option.symbol} <CopyButton text={amount} name={t('solana.code.amount')} />
              </dd>
            </dl>
            <p className={cards.small}>{t('solana.code.exactly')}</p>
          </details>
        </>
      )}
      {fault && <Notice name={fault} values={{ chain: option.chainName }} />}
      <Custody />
      <div className={cards.actions}>
        {isOver ? (
          <Button look="primary" size="large" isWide isBusy={payment.work !== undefined} onPress={payment.requote}>
            {t('solana.requote')}
          </Button>
        ) : (
          <ButtonLink look="primary" size="large" isWide href={quote.paymentUrl}>
            {t('solana.code.open')}
          </ButtonLink>
        )}
        <Button look="bare" isWide isDisabled={payment.work !== undefined} onPress={payment.drop}>
          {t('solana.code.back')}
        </Button>
      </div>
    </div>
  );
}
