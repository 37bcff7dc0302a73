/** The Solana wallets of this browser, as they announce themselves by the Wallet Standard. */
import type { SolanaChain } from '@solana/wallet-standard-chains';
import {
  SolanaSignAndSendTransaction,
  type SolanaSignAndSendTransactionFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { StandardConnect, type StandardConnectFeature } from '@wallet-standard/features';
import { useSyncExternalStore } from 'react';

type Features = StandardConnectFeature & Partial<SolanaSignAndSendTransactionFeature & SolanaSignTransactionFeature>;

export type SolanaWallet = Wallet & { features: Features };
export type ConnectedSolanaWallet = { wallet: SolanaWallet; account: WalletAccount };

let held: readonly SolanaWallet[] = [];

/** The wallets that support the chain and can pay on it, including those that announce themselves later. */
export function useSolanaWallets(chain: SolanaChain | undefined): readonly SolanaWallet[] {
  return useSyncExternalStore(follow, () => {
    const found = getWallets()
      .get()
      .filter(canPay)
      .filter(({ chains }) => chain !== undefined && chains.includes(chain));
    if (found.length !== held.length || found.some((wallet, index) => wallet !== held[index])) held = found;
    return held;
  });
}

/** Requests an account on the chain from the wallet. Throws the errors of the wallet, and if it returns no account. */
export async function connectSolanaWallet(wallet: SolanaWallet, chain: SolanaChain): Promise<WalletAccount> {
  const { accounts } = await wallet.features[StandardConnect].connect();
  const account = accounts.find(({ chains }) => chains.includes(chain)) ?? accounts[0];
  if (!account) throw new Error(`${wallet.name} gave no account.`);
  return account;
}

function follow(changed: () => void): () => void {
  const wallets = getWallets();
  const stops = [wallets.on('register', changed), wallets.on('unregister', changed)];
  return () => {
    for (const stop of stops) stop();
  };
}

function canPay(wallet: Wallet): wallet is SolanaWallet {
  const { features } = wallet;
  return StandardConnect in features && (SolanaSignAndSendTransaction in features || SolanaSignTransaction in features);
}
