/** Grants the allowance with one wallet: its account, its network, and the transactions one after the other. */
import { errorCodes } from '../wallet/evm/wallet-fault.ts';
import { field, type Provider } from './found-wallets.ts';

export type Approval = {
  /** The account that pays for the subscription. */
  wallet: string;
  network: {
    chainId: number;
    name: string;
    symbol: string;
    decimals: number;
    rpcUrl: string | null;
    explorerUrl: string | null;
  };
  transactions: readonly { to: string; data: string }[];
};

/** The wallet shares another account only. */
export class OtherAccount extends Error {}
export class Reverted extends Error {}
/** Sent, and not confirmed in time. */
export class TooSlow extends Error {}

const RECEIPT_WITHIN_MS = 120_000;
const RECEIPT_EVERY_MS = 1_000;
const CHAIN_UNKNOWN = 4902;

/** Resolves once the last transaction is in a block. Throws what the wallet throws, and the errors above. */
export async function approve(
  provider: Provider,
  { wallet, network, transactions }: Approval,
  onState: (state: 'CONNECTING' | 'SENDING' | 'WAITING') => void,
): Promise<void> {
  onState('CONNECTING');
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const from = Array.isArray(accounts)
    ? accounts.find((one) => String(one).toLowerCase() === wallet.toLowerCase())
    : undefined;
  if (from === undefined) throw new OtherAccount();
  await switchTo(provider, network);
  for (const { to, data } of transactions) {
    onState('SENDING');
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, data, value: '0x0', chainId: hex(network.chainId) }],
    });
    onState('WAITING');
    await waitFor(provider, hash);
  }
}

async function switchTo(provider: Provider, network: Approval['network']): Promise<void> {
  const chainId = hex(network.chainId);
  if (String(await provider.request({ method: 'eth_chainId' })).toLowerCase() === chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    const { name: chainName, symbol, decimals, rpcUrl, explorerUrl } = network;
    if (rpcUrl === null || !errorCodes(error).includes(CHAIN_UNKNOWN)) throw error;
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId,
          chainName,
          nativeCurrency: { name: symbol, symbol, decimals },
          rpcUrls: [rpcUrl],
          ...(explorerUrl === null ? {} : { blockExplorerUrls: [explorerUrl] }),
        },
      ],
    });
  }
}

/** The wallet is on the right network, and knows the outcome of its own transaction. */
async function waitFor(provider: Provider, hash: unknown): Promise<void> {
  const until = Date.now() + RECEIPT_WITHIN_MS;
  while (Date.now() < until) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }).catch(() => null);
    const status = field(receipt, 'status');
    if (status === '0x1') return;
    if (status === '0x0') throw new Reverted();
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_EVERY_MS));
  }
  throw new TooSlow();
}

function hex(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}
