/** Addresses and hashes, short enough to compare by eye. */

/** The first 6 and the last 4 characters. A value that is hardly longer is not shortened. */
export function shortAddress(value: string): string {
  return value.length <= 13 ? value : `${value.slice(0, 6)}…${value.slice(-4)}`;
}

export type ExplorerChain = { family: 'EVM' | 'SOLANA' | 'SUI'; explorerUrl: string | null };
export type OnChain = 'address' | 'transaction';

/** The URL in the chain's explorer; null for a chain without one. A query in the chain's address, such as a cluster, is kept. */
export function explorerLink(chain: ExplorerChain, kind: OnChain, value: string): string | null {
  if (!chain.explorerUrl) return null;
  const url = new URL(chain.explorerUrl);
  const names = { EVM: ['address', 'tx'], SOLANA: ['address', 'tx'], SUI: ['account', 'tx'] }[chain.family];
  const [address, transaction] = names;
  const name = kind === 'address' ? address : transaction;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${name}/${encodeURIComponent(value)}`;
  return url.toString();
}
