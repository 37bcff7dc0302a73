/**
 * Indexes all events of the escrow contract, approvals that name it as spender and transfers to it, on every enabled chain, and records how
 * far each chain was read.
 */
import { createConfig } from 'ponder';
import { parseAbi } from 'viem';
import { escrowAbi } from '../src/escrow/escrow-abi.ts';
import { chainName, readChainSettings } from './chain-settings.ts';

const chains = readChainSettings(process.env.SLUICE_INDEXER);
const tokenAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
]);
const escrows = [...new Set(chains.map((chain) => chain.escrow))];

const perChain = <Value>(value: (chain: (typeof chains)[number]) => Value): Record<string, Value> =>
  Object.fromEntries(chains.map((chain) => [chainName(chain), value(chain)]));

export default createConfig({
  // With isolated ordering, a reorganization of one chain never reverts the rows of another.
  ordering: 'experimental_isolated',
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL ?? '', poolConfig: { max: 6 } },
  chains: perChain((chain) => ({
    id: chain.chainId,
    rpc: chain.rpcUrls,
    ...(chain.wsUrl === undefined ? {} : { ws: chain.wsUrl }),
    pollingInterval: chain.pollingIntervalMs,
  })),
  contracts: {
    Escrow: {
      abi: escrowAbi,
      chain: perChain((chain) => ({ address: chain.escrow, startBlock: chain.startBlock })),
    },
    Token: {
      abi: tokenAbi,
      chain: perChain((chain) => ({ address: chain.tokens, startBlock: chain.startBlock })),
      filter: [
        { event: 'Transfer', args: { to: escrows } },
        { event: 'Approval', args: { spender: escrows } },
      ],
    },
  },
  blocks: {
    Progress: {
      chain: perChain((chain) => ({ startBlock: chain.startBlock, interval: chain.progressInterval })),
    },
  },
});
