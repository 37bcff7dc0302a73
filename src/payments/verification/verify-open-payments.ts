import { erc20Abi, isHex } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { type Chain, NATIVE, type Token } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import type { BlockPlace } from '../../facts/chain-view.ts';
import type { Clock } from '../../platform/clock.ts';
import { contractStates } from './contract-states.ts';
import { heldInBooks, heldOfToken } from './held-in-books.ts';
import { openPayments } from './open-payments.ts';
import { confirmedView } from './read-payment.ts';
import { verifyVaults } from './verify-vaults.ts';

export type Drift = { termsHash: string; paymentIntentId: string; booked: string; left: string };

export type ChainVerification = {
  chainId: number;
  /** The block that was compared. */
  block: string;
  /** Confirmed blocks that the projector has still to apply. */
  behindBlocks: string;
  payments: number;
  drifts: Drift[];
  /** Per token, base units: what our books hold, and what the escrow has in all; it may hold others' money too. */
  tokens: { tokenKey: string; booked: string; balance: string; covered: boolean }[];
};

type World = {
  database: Database;
  nodes: EvmNodes;
  /** Without it Solana chains are left out. */
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  clock: Clock;
};

/**
 * Compares the books of every open payment with the contract's `left`, per id, and what the books hold with the escrow's
 * balances, on every enabled EVM chain: at the newest confirmed block, or (`at` APPLIED) both as of the newest of these that
 * the projector has applied, so that what it has still to apply is no drift. And every vault with its balance on Solana.
 * Writes nothing. Throws CHAIN_UNAVAILABLE, and what a node throws that keeps no state of that block.
 */
export async function verifyOpenPayments(
  world: World,
  { at = 'CONFIRMED' }: { at?: 'CONFIRMED' | 'APPLIED' } = {},
): Promise<ChainVerification[]> {
  const answers: ChainVerification[] = [];
  for (const chain of world.registry.enabled()) {
    if (chain.family === 'EVM' && chain.escrow) answers.push(await verifyChain(world, chain, at));
    if (chain.family === 'SOLANA' && world.solanaNodes) {
      const { chainId } = chain;
      const compared = { ...world, solanaNodes: world.solanaNodes };
      const { slot, ...found } = await verifyVaults(compared, { chainId, now: world.clock.now() });
      answers.push({ chainId, block: slot, behindBlocks: '0', ...found, tokens: [] });
    }
  }
  return answers;
}

async function verifyChain(world: World, chain: Chain, at: 'CONFIRMED' | 'APPLIED'): Promise<ChainVerification> {
  const { chainId } = chain;
  const { confirmed, applied } = await heights(world, chainId);
  const block = at === 'APPLIED' ? applied : confirmed;
  const drifts: Drift[] = [];
  let payments = 0;
  for await (const page of openPayments(world.database, { chainId, now: world.clock.now() })) {
    payments += page.length;
    const termsHashes = page.map((terms) => terms.termsHash);
    const contract = await contractStates(world, { chainId, termsHashes, blockHash: block.hash });
    const books = await heldInBooks(world.database, { chainId, termsHashes, upTo: block.number });
    for (const [index, { termsHash, paymentIntentId }] of page.entries()) {
      const [booked, left] = [books.get(termsHash) ?? 0n, contract[index]?.left];
      if (booked !== left) drifts.push({ termsHash, paymentIntentId, booked: String(booked), left: String(left) });
    }
  }
  const tokens = await Promise.all(chain.tokens.map((token) => cover(world, { chain, token, block })));
  return {
    chainId,
    block: String(block.number),
    behindBlocks: String(confirmed.number - applied.number),
    payments,
    drifts,
    tokens,
  };
}

/** The newest confirmed block, and the newest whose facts are all in the books; before the first turn that is the same. */
async function heights(world: World, chainId: number): Promise<{ confirmed: BlockPlace; applied: BlockPlace }> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  const { confirmed, blockAt } = await confirmedView(world, chainId);
  const number = cursor?.appliedNumber ?? confirmed.number;
  const applied = number < confirmed.number ? await blockAt(number) : null;
  return { confirmed, applied: applied ?? confirmed };
}

async function cover(
  world: World,
  { chain, token, block }: { chain: Chain; token: Token; block: BlockPlace },
): Promise<ChainVerification['tokens'][number]> {
  const { chainId } = chain;
  const booked = await heldOfToken(world.database, { chainId, tokenKey: token.key, upTo: block.number });
  const balance = await readBalance(world, { chain, token, block });
  return { tokenKey: token.key, booked: String(booked), balance: String(balance), covered: balance >= booked };
}

async function readBalance(
  { nodes }: World,
  { chain, token, block }: { chain: Chain; token: Token; block: BlockPlace },
): Promise<bigint> {
  const { escrow } = chain;
  const address = token.address;
  if (!escrow) return 0n;
  const at = { blockNumber: block.number };
  return await nodes.asking(chain.chainId, async (client) => {
    if (address === NATIVE || !isHex(address)) return await client.getBalance({ address: escrow, ...at });
    return await client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [escrow], ...at });
  });
}
