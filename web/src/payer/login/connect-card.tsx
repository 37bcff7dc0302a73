/** The choice of a wallet, with one button for each available wallet, or instructions if there is none. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address } from 'viem';
import { Button } from '../../ui/button/button.tsx';
import { shortAddress } from '../../ui/formats/address.ts';
import { Note } from '../../ui/state/note.tsx';
import { connectWallet, useFoundWallets } from '../../wallet/evm/use-wallet.ts';
import { walletFault } from '../../wallet/evm/wallet-fault.ts';
import { PhoneWallet } from '../../wallet/phone/phone-wallet.tsx';
import styles from '../view/payer.module.css';
import { StartOver } from '../view/start-over.tsx';
import { useTurn } from '../view/use-turn.ts';

/** `wanted` is the wallet in the URL of the page. */
export function ConnectCard({ wanted }: { wanted: Address | undefined }) {
  const { t } = useTranslation();
  const wallets = useFoundWallets();
  const [fault, setFault] = useState<string>();
  const { isWaiting, take, startOver } = useTurn();
  const connect = async (connecting: () => Promise<void>) => {
    setFault(undefined);
    await take(async (signal) => {
      await connecting().catch((error: unknown) => signal.aborted || setFault(walletFault(error)));
    });
  };
  return (
    <section className={styles.card}>
      <h1>{t('payer.connect.title')}</h1>
      <p className={styles.soft}>
        {wanted ? t('payer.connect.wanted', { address: shortAddress(wanted) }) : t('payer.connect.words')}
      </p>
      {fault && <Note tone="bad" isUrgent title={t(`payer.wallet.${fault}`)} />}
      <ul className={styles.stack}>
        {wallets.map((wallet) => (
          <li key={wallet.id}>
            <Button
              look={wallets.length === 1 ? 'primary' : 'plain'}
              size="large"
              isWide
              busyWords={t('payer.busy.wallet')}
              isDisabled={isWaiting}
              onPress={() => connect(() => connectWallet(wallet.connector))}
            >
              {wallet.icon && <img className={styles.walletIcon} src={wallet.icon} alt="" />}
              {t('payer.connect.with', { name: wallet.name })}
            </Button>
          </li>
        ))}
      </ul>
      {isWaiting && <StartOver startOver={startOver} />}
      {wallets.length === 0 && (
        <Note tone="wait" title={t('payer.connect.none')}>
          {t('payer.connect.install')}
        </Note>
      )}
      <PhoneWallet />
    </section>
  );
}
