/** The payer's EVM wallets: those available, the connected one, and its chain. */
import {
  type Connector,
  connect,
  disconnect,
  getConnection,
  getConnectors,
  reconnect,
  switchChain,
  watchConnection,
  watchConnectors,
} from '@wagmi/core';
import { useMemo, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address } from 'viem';
import { settings } from '../../settings.ts';
import { walletConfig } from './wallet-config.ts';

export type WalletState = {
  status: 'connected' | 'connecting' | 'reconnecting' | 'disconnected';
  address: Address | undefined;
  /** The wallet's current chain, which may be unknown to this installation. */
  chainId: number | undefined;
  /** Its name, such as "MetaMask". */
  name: string | undefined;
};

/** A wallet that can be connected. `icon` is a data: URL of the wallet's own. */
export type FoundWallet = { id: string; name: string; icon: string | undefined; connector: Connector };

/** A wallet that has not announced its name has none. */
type ReadWallet = Omit<FoundWallet, 'name'> & { name: string | undefined };

let state: WalletState | undefined;
let wallets: readonly ReadWallet[] | undefined;

/** Reconnects, once per page, the wallet that was connected before a reload. */
export async function resumeWallet(): Promise<void> {
  const { storage } = walletConfig();
  const { walletConnectProjectId: projectId } = settings;
  const recent = await storage?.getItem('recentConnectorId');
  if (recent === 'walletConnect' && projectId !== null) {
    // Without its code, the wallet can be paired again.
    const phone = await import('../phone/connect-phone.ts').catch(() => undefined);
    phone?.addPhoneConnector(projectId);
  }
  await reconnect(walletConfig());
}

/** Stops waiting for a wallet that does not report whether it is still connected. A later report still connects it. */
export function stopResuming(): void {
  if (getConnection(walletConfig()).status !== 'reconnecting') return;
  walletConfig().setState((before) => ({ ...before, status: 'disconnected', current: null }));
}

export function useWallet(): WalletState {
  return useSyncExternalStore(
    (changed) =>
      watchConnection(walletConfig(), {
        onChange: () => {
          state = undefined;
          changed();
        },
      }),
    () => (state ??= readState()),
  );
}

export function useFoundWallets(): readonly FoundWallet[] {
  const { t } = useTranslation();
  const found = useSyncExternalStore(
    (changed) =>
      watchConnectors(walletConfig(), {
        onChange: () => {
          wallets = undefined;
          changed();
        },
      }),
    () => (wallets ??= readWallets()),
  );
  return useMemo(() => found.map((one) => ({ ...one, name: one.name ?? t('everywhere.nameless') })), [found, t]);
}

/** Throws the errors of the wallet: see `wallet-fault.ts`. */
export async function connectWallet(connector: Connector): Promise<void> {
  await connect(walletConfig(), { connector });
}

export async function disconnectWallet(): Promise<void> {
  await disconnect(walletConfig());
}

/** Requests that the wallet switch to a chain, and add it if it is unknown to the wallet. */
export async function switchWallet(chainId: number): Promise<void> {
  await switchChain(walletConfig(), { chainId });
}

function readState(): WalletState {
  const { status, address, chainId, connector } = getConnection(walletConfig());
  return { status, address, chainId, name: connector?.name };
}

/** Includes the nameless wallet at `window.ethereum` only if it exists and no wallet has announced itself. */
function readWallets(): readonly ReadWallet[] {
  const all = getConnectors(walletConfig()).filter(({ type }) => type === 'injected');
  const announced = all.filter(({ id }) => id !== 'injected');
  const isLegacyThere = 'ethereum' in window && window.ethereum !== undefined;
  const shown = announced.length > 0 ? announced : isLegacyThere ? all : [];
  return shown.map((connector) => ({
    id: connector.uid,
    name: connector.id === 'injected' ? undefined : connector.name,
    icon: connector.icon,
    connector,
  }));
}
