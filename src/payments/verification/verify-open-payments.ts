import { erc20Abi, type Hex, isHex } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { type Chain, NATIVE, type Token } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { GatewayError } from '../../errors.ts';
import type { BlockPlace } from '../../facts/chain-view.ts';
import type { Clock } from '../../platform/clock.ts';
import { contractStates } from './contract-states.ts';
import { heldInBooks, heldOfToken } from './held-in-books.ts';
import { openPayments } from './open-payments.ts';
import { confirmedView } from './read-payment.ts';
import { type CreditDrift, verifyCredits } from './verify-credits.ts';
import { verifyKeptShares } from './verify-kept-shares.ts';
import { verifyVaults } from './verify-vaults.ts';

export type Drift = { termsHash: string; paymentIntentId: string; booked: string; left: string };

export type ChainVerification = {
  chainId: number;
  /** The block at which the comparison was made. */
  block: string;
  /** The number of confirmed blocks that the projector has yet to apply. */
  behindBlocks: string;
  payments: number;
  drifts: Drift[];
  /** Per token, in base units: the total in the ledger, and the escrow's total balance, which may include money of other gateways. */
  tokens: { tokenKey: string; booked: string; balance: string; covered: boolean }[];
  /** Recipients to which the contract owes a different amount than expected. */
  credits: CreditDrift[];
};

type World = {
  database: Database;
  nodes: EvmNodes;
  /** If omitted, Solana chains are skipped. */
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  clock: Clock;
};

/** A projector further behind than this is stuck; the ledger is then compared with what it should have applied. */
const BEHIND_LIMIT_SECONDS = 600n;

/** Runs `verifyChain` for every enabled chain at its newest confirmed block, and throws what it throws. */
export async function verifyOpenPayments(world: World): Promise<ChainVerification[]> {
  const answers: ChainVerification[] = [];
  for (const chain of world.registry.enabled()) {
    const answer = await verifyChain(world, chain, { at: 'CONFIRMED' });
    if (answer) answers.push(answer);
  }
  return answers;
}

/**
 * Compares, on an EVM chain, the ledger of every open payment with the contract's `left`, the totals of the ledger (including
 * undelivered payouts) with the escrow's balances, and what the contract owes the recipients of those payouts. With `at`
 * CONFIRMED the comparison is made at the newest confirmed block. With APPLIED it is made at the newest of these that the
 * projector has applied, so that pending blocks are no drift, provided that the projector is at most ten minutes of chain time
 * behind. On Solana, compares every vault with its balance. Returns null for a chain that has neither. Writes nothing. Throws
 * CHAIN_UNAVAILABLE, and the node's error if it keeps no state of that block.
 */
export async function verifyChain(
  world: World,
  chain: Chain,
  { at }: { at: 'CONFIRMED' | 'APPLIED' },
): Promise<ChainVerification | null> {
  const { chainId } = chain;
  if (chain.family === 'SOLANA' && world.solanaNodes) {
    const compared = { ...world, solanaNodes: world.solanaNodes };
    const { slot, ...found } = await verifyVaults(compared, { chainId, now: world.clock.now() });
    const credits = await verifyKeptShares(compared, { chainId });
    return { chainId, block: slot, behindBlocks: '0', ...found, tokens: [], credits };
  }
  return chain.family === 'EVM' && chain.escrow ? await verifyEvmChain(world, chain, at) : null;
}

async function verifyEvmChain(world: World, chain: Chain, at: 'CONFIRMED' | 'APPLIED'): Promise<ChainVerification> {
  const { chainId } = chain;
  const { confirmed, applied } = await heights(world, chainId);
  const isNear = confirmed.timestamp - applied.timestamp <= BEHIND_LIMIT_SECONDS;
  const block = at === 'APPLIED' && isNear ? applied : confirmed;
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
    credits: await verifyCredits(world, { chainId, block }),
  };
}

/**
 * The newest confirmed block, and the newest block whose facts are all in the ledger; before the projector's first run both are
 * the same.
 */
async function heights(
  world: World,
  chainId: number,
): Promise<{ confirmed: BlockPlace<Hex>; applied: BlockPlace<Hex> }> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  const { confirmed, blockAt } = await confirmedView(world, chainId);
  const number = cursor?.appliedNumber ?? confirmed.number;
  if (number >= confirmed.number) return { confirmed, applied: confirmed };
  const applied = await blockAt(number);
  if (!applied) throw new GatewayError('CHAIN_UNAVAILABLE', `The node of chain ${chainId} has no block ${number}.`);
  return { confirmed, applied };
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
