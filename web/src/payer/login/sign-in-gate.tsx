/**
 * Asks for the wallet's signature before its page is shown. If the gateway does not respond, the contract can be read without a signature.
 */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address } from 'viem';
import { ApiError } from '../../api/api-error.ts';
import type { Credential } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { useWallet } from '../../wallet/evm/use-wallet.ts';
import { evmChains } from '../../wallet/evm/wallet-config.ts';
import { walletFault } from '../../wallet/evm/wallet-fault.ts';
import { SendFaultNote } from '../view/call-button.tsx';
import { HoldingsPage } from '../view/holdings-page.tsx';
import styles from '../view/payer.module.css';
import { StartOver } from '../view/start-over.tsx';
import { useTurn } from '../view/use-turn.ts';
import { credentialOf, signIn, signOut } from './payer-token.ts';

type Way = { credential: Credential | null };

export function SignInGate({ wallet }: { wallet: Address }) {
  const { t } = useTranslation();
  const { chainId } = useWallet();
  const [way, setWay] = useState<Way | undefined>(() => {
    const credential = credentialOf(wallet);
    return credential && { credential };
  });
  const [fault, setFault] = useState<unknown>();
  const chains = evmChains();
  const signedOn = chains.find((chain) => chain.chainId === chainId) ?? chains[0];

  const { isWaiting, take, startOver } = useTurn();
  const enter = async (signal: AbortSignal) => {
    setFault(undefined);
    try {
      const credential = signedOn && (await signIn({ wallet, chainId: signedOn.chainId }));
      if (credential && !signal.aborted) setWay({ credential });
    } catch (error) {
      if (!signal.aborted) setFault(error);
    }
  };
  const leave = () => {
    signOut(wallet);
    setWay(undefined);
  };

  if (way) return <HoldingsPage wallet={wallet} credential={way.credential} onSignedOut={leave} />;
  const isAway = fault instanceof ApiError && fault.code === 'NETWORK';
  return (
    <section className={styles.card}>
      <h1>{t('payer.signIn.title')}</h1>
      <p className={styles.soft}>{t('payer.signIn.words')}</p>
      {isAway && (
        <Note tone="wait" isUrgent title={t('payer.signIn.away')}>
          {t('payer.signIn.awayWords')}
        </Note>
      )}
      {fault !== undefined && !isAway && <SignInFault fault={fault} />}
      <div className={styles.buttons}>
        <Button look="primary" size="large" icon="key" busyWords={t('payer.busy.sign')} onPress={() => take(enter)}>
          {t('payer.signIn.button')}
        </Button>
        <Button look="bare" onPress={() => setWay({ credential: null })}>
          {t('payer.signIn.without')}
        </Button>
      </div>
      {isWaiting && <StartOver startOver={startOver} />}
    </section>
  );
}

function SignInFault({ fault }: { fault: unknown }) {
  if (fault instanceof ApiError) return <ErrorNote error={fault} />;
  return <SendFaultNote fault={{ kind: walletFault(fault) }} />;
}
