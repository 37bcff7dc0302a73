/** A wallet on a phone, by WalletConnect. Loaded only if it is chosen or was connected before, because it takes half a megabyte. */
import { type Connector, connect } from '@wagmi/core';
import i18next from 'i18next';
import { walletConnect } from 'wagmi/connectors';
import { settings } from '../../settings.ts';
import { walletConfig } from '../evm/wallet-config.ts';

/** How long the relay may take to accept the pairing, which is before there is a code to scan. */
const CODE_WITHIN_MS = 20_000;

/** Adds the connector to wagmi's, so that it can connect, and connect again after a reload. */
export function addPhoneConnector(projectId: string): Connector {
  const config = walletConfig();
  const known = config.connectors.find(({ type }) => type === walletConnect.type);
  if (known) return known;
  // What the wallet shows about the requesting page.
  const description = i18next.t('everywhere.phone.about');
  const metadata = { name: 'Sluice', description, url: settings.publicUrl, icons: [] };
  const options = { projectId, metadata, showQrModal: false, isNewChainsStale: false, logger: 'silent' };
  const connector = config._internal.connectors.setup(walletConnect(options));
  config._internal.connectors.setState((connectors) => [...connectors, connector]);
  return connector;
}

/**
 * Reports the pairing URI (`wc:…`) as soon as it exists, to be shown as a code or opened on the phone. Resolves when the wallet has
 * responded. Throws what the wallet throws (`wallet-fault.ts`), and if the relay does not respond in time.
 */
export async function connectPhone(request: {
  projectId: string;
  onAddress: (address: string) => void;
}): Promise<void> {
  const connector = addPhoneConnector(request.projectId);
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLate.reject(new Error('The relay does not respond.')), CODE_WITHIN_MS);
  const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
    if (type !== 'display_uri' || typeof data !== 'string') return;
    clearTimeout(timer);
    request.onAddress(data);
  };
  connector.emitter.on('message', onMessage);
  try {
    await Promise.race([connect(walletConfig(), { connector }), tooLate.promise]);
  } finally {
    clearTimeout(timer);
    connector.emitter.off('message', onMessage);
  }
}
