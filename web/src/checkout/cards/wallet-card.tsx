/** The first card: the choice of a wallet. An installed wallet takes one click; without one, the card explains what to do. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { connectWallet, type FoundWallet } from '../../wallet/evm/use-wallet.ts';
import { PhoneWallet } from '../../wallet/phone/phone-wallet.tsx';
import { Elsewhere } from '../handover/elsewhere.tsx';
import { isHandheld } from '../handover/is-handheld.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { StartOver } from './start-over.tsx';

type WalletCardProps = {
  session: SessionName;
  wallets: readonly FoundWallet[];
  notice: string | undefined;
  isBusy: boolean;
  startOver: () => void;
  connect: (connecting: () => Promise<void>) => Promise<void>;
  /** Set if wallets of another chain family have their own card. */
  solana: (() => void) | undefined;
  /** Set if a plain transfer is offered. */
  transfer: (() => void) | undefined;
  /** How many of these two are expected while the options are loading, so that space is reserved for them. */
  expectedWays: number;
};

export function WalletCard({
  session,
  wallets,
  notice,
  isBusy,
  startOver,
  connect,
  solana,
  transfer,
  expectedWays,
}: WalletCardProps) {
  const { t } = useTranslation();
  const [only] = wallets;
  return (
    <div className={styles.stack}>
      <CardHead title={t('checkout.wallet.title')}>{t('checkout.wallet.words')}</CardHead>
      {notice && notice !== 'NO_WALLET' && <Notice name={notice} />}
      {wallets.length === 1 && only && (
        <Button
          look="primary"
          size="large"
          isWide
          icon="wallet"
          isBusy={isBusy}
          busyWords={t('checkout.busy.connecting')}
          onPress={() => connect(() => connectWallet(only.connector))}
        >
          {t('checkout.wallet.connect', { name: only.name })}
        </Button>
      )}
      {wallets.length > 1 && (
        <ul className={styles.list}>
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <button
                type="button"
                className={styles.wallet}
                aria-disabled={isBusy || undefined}
                onClick={() => void (isBusy || connect(() => connectWallet(wallet.connector)))}
              >
                {wallet.icon && <img src={wallet.icon} alt="" />}
                {wallet.name}
              </button>
            </li>
          ))}
        </ul>
      )}
      {isBusy && <StartOver work="connecting" startOver={startOver} />}
      {wallets.length === 0 && <NoWallet session={session} />}
      <PhoneWallet />
      {transfer && (
        <Button isWide onPress={transfer} data-action="transfer">
          {t('checkout.wallet.transfer')}
        </Button>
      )}
      {solana && (
        <Button isWide onPress={solana}>
          {t('checkout.wallet.solana')}
        </Button>
      )}
      {Array.from({ length: expectedWays }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places have nothing else.
        <span key={place} className={styles.buttonPlace} aria-hidden="true" />
      ))}
    </div>
  );
}

/** Without a wallet in this browser, the payment continues where there is one. */
function NoWallet({ session }: { session: SessionName }) {
  const { t } = useTranslation();
  return (
    <>
      <Notice name="NO_WALLET">{!isHandheld && <p>{t('checkout.wallet.install')}</p>}</Notice>
      <Elsewhere session={session} />
    </>
  );
}
