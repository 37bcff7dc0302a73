/** A wallet on a phone, by WalletConnect. Loaded when it is chosen: nobody else pays for its half a megabyte. */
import { connect } from '@wagmi/core';
import { walletConnect } from 'wagmi/connectors';
import { walletConfig } from '../evm/wallet-config.ts';

/**
 * Reports the pairing URI (`wc:…`) as soon as it exists, to be shown as a code or opened on the phone. Resolves when the wallet has
 * responded. Throws what the wallet throws (`wallet-fault.ts`).
 */
export async function connectPhone(request: {
  projectId: string;
  publicUrl: string;
  /** What the wallet shows of who asks. */
  about: string;
  onAddress: (address: string) => void;
}): Promise<void> {
  const { projectId, publicUrl, about, onAddress } = request;
  const config = walletConfig();
  const metadata = { name: 'Sluice', description: about, url: publicUrl, icons: [] };
  const made = walletConnect({ projectId, metadata, showQrModal: false, isNewChainsStale: false });
  const known = config.connectors.find(({ type }) => type === walletConnect.type);
  const connector = known ?? config._internal.connectors.setup(made);
  if (!known) config._internal.connectors.setState((connectors) => [...connectors, connector]);
  const told = ({ type, data }: { type: string; data?: unknown }) => {
    if (type === 'display_uri' && typeof data === 'string') onAddress(data);
  };
  connector.emitter.on('message', told);
  try {
    await connect(config, { connector });
  } finally {
    connector.emitter.off('message', told);
  }
}
