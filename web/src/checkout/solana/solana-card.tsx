/** Payment on Solana with a wallet of this browser, or with a QR code for any other wallet. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { solanaChainName } from '../../wallet/solana/chain-name.ts';
import { useSolanaWallets } from '../../wallet/solana/found-wallets.ts';
import { StartOver } from '../cards/start-over.tsx';
import type { Sent } from '../pay/payment-state.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { Custody } from './custody.tsx';
import { SolanaCode } from './solana-code.tsx';
import { SolanaQuoteCard } from './solana-quote-card.tsx';
import { type SolanaPayment, useSolanaPayment } from './use-solana-payment.ts';

export type SolanaCardProps = {
  session: SessionName;
  /** The session's options on Solana; empty, for example, while no price is known. A locked quote outlives its option. */
  options: readonly Option[];
  /** Milliseconds, by the gateway's clock. */
  now: number;
  exactNow: () => number;
  /** The outcome of an earlier attempt. */
  notice: string | undefined;
  /** Returns to the wallets of other chains; undefined if there are none. */
  back: (() => void) | undefined;
  /** A request was refused, so the session is read again. */
  refetch: () => Promise<unknown>;
  hasSent: (sent: Sent) => void;
  /** The wallet did not report whether it has sent the payment, which may appear until this time. */
  doubt: (until: number) => void;
  /** Whether the wallet has a request to send the payment, so that the page does not end the session under it. */
  onSending: (isSending: boolean) => void;
};

export function SolanaCard(props: SolanaCardProps) {
  const { session, options, now, exactNow, notice, back, refetch, hasSent, doubt, onSending } = props;
  const { t } = useTranslation();
  const [tokenKey, setTokenKey] = useState<string>();
  const payment = useSolanaPayment(session, { now: exactNow, refetch, hasSent, doubt });
  const { quote, connected } = payment;
  const isSending = payment.work === 'sending';
  useEffect(() => {
    onSending(isSending);
    return () => onSending(false);
  }, [isSending, onSending]);
  if (quote && quote.walletAddress === null) return <SolanaCode {...{ quote, now, payment }} />;
  if (quote && connected) return <SolanaQuoteCard {...{ quote, now, payment, connected }} />;
  const option = options.find((one) => one.tokenKey === tokenKey) ?? options[0];
  const fault = payment.fault ?? notice ?? (option ? undefined : 'NO_WAY');
  return (
    <div className={styles.stack}>
      <CardHead title={t('solana.title')}>{t('solana.words')}</CardHead>
      {option && options.length > 1 && (
        <Tokens {...{ options, option }} choose={setTokenKey} isBusy={payment.work !== undefined} />
      )}
      {fault && <Notice name={fault} values={{ chain: option?.chainName ?? '' }} />}
      {option && <Wallets payment={payment} option={option} />}
      {payment.work && <StartOver work={payment.work} startOver={payment.startOver} />}
      <Custody />
      {back && (
        <Button look="bare" isWide isDisabled={payment.work !== undefined} onPress={back}>
          {t('solana.back')}
        </Button>
      )}
    </div>
  );
}

type TokensProps = {
  options: readonly Option[];
  option: Option;
  choose: (tokenKey: string) => void;
  isBusy: boolean;
};

function Tokens({ options, option, choose, isBusy }: TokensProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div className={styles.list} role="radiogroup" aria-label={t('solana.token')}>
      {options.map(({ tokenKey, symbol, chainName, cryptoAmount, decimals }) => {
        const amount = formats.token(cryptoAmount, decimals);
        return (
          <label key={tokenKey} className={styles.choice} data-way={tokenKey}>
            <input
              type="radio"
              name="solana-way"
              value={tokenKey}
              checked={tokenKey === option.tokenKey}
              disabled={isBusy}
              onChange={() => choose(tokenKey)}
            />
            <span className={styles.choiceName}>{t('solana.on', { symbol, chain: chainName })}</span>
            <span className={styles.choiceSide} title={`${amount.exact} ${symbol}`}>
              {amount.words} {symbol}
            </span>
          </label>
        );
      })}
    </div>
  );
}

/** A button for each wallet of this browser, and the QR code for all others. */
function Wallets({ payment, option }: { payment: SolanaPayment; option: Option }) {
  const { t } = useTranslation();
  const chain = chainOf(option.chainId);
  const wallets = useSolanaWallets(chain && solanaChainName(chain));
  const isBusy = payment.work !== undefined;
  const [pressed, setPressed] = useState<string>();
  const begin = (wallet: (typeof wallets)[number]) => {
    setPressed(wallet.name);
    return payment.begin(wallet, option);
  };
  const scan = () => {
    setPressed(undefined);
    return payment.scan(option);
  };
  const isConnecting = payment.work === 'connecting';
  return (
    <div className={styles.actions}>
      {wallets.map((wallet, index) => (
        <Button
          key={wallet.name}
          look={index === 0 ? 'primary' : 'plain'}
          size="large"
          isWide
          icon="wallet"
          isBusy={isBusy && pressed === wallet.name}
          isDisabled={isBusy}
          busyWords={t(isConnecting ? 'solana.busy.connecting' : 'solana.busy.preparing')}
          onPress={() => begin(wallet)}
        >
          {t('solana.connect', { name: wallet.name })}
        </Button>
      ))}
      {wallets.length === 0 && <p className={styles.small}>{t('solana.noWallet')}</p>}
      <Button
        look={wallets.length === 0 ? 'primary' : 'plain'}
        size="large"
        isWide
        isBusy={isBusy && pressed === undefined}
        isDisabled={isBusy}
        busyWords={t('solana.busy.preparing')}
        onPress={scan}
      >
        {t('solana.scan')}
      </Button>
    </div>
  );
}
