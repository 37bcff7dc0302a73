import { erc20Abi, isHex } from 'viem';
import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import { type Chain, NATIVE, type Token } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import type { Clock } from '../../platform/clock.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { heldInBooks } from './held-in-books.ts';
import { openPayments } from './open-payments.ts';
import { confirmedView } from './read-payment.ts';
import { verifyVaults } from './verify-vaults.ts';

export type Drift = { termsHash: string; paymentIntentId: string; booked: string; left: string };

export type ChainVerification = {
  chainId: number;
  /** The confirmed block that was compared. */
  block: string;
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

const ASKED_AT_ONCE = 10;

/**
 * Compares the books of every open payment with the contract's `left`, per id, at the confirmed block, and what the
 * books hold with the escrow's balances, on every enabled EVM chain, and of every vault with its balance on Solana. Writes nothing. Throws CHAIN_UNAVAILABLE.
 */
export async function verifyOpenPayments(world: World): Promise<ChainVerification[]> {
  const answers: ChainVerification[] = [];
  for (const chain of world.registry.enabled()) {
    if (chain.family === 'EVM' && chain.escrow) answers.push(await verifyChain(world, chain));
    if (chain.family === 'SOLANA' && world.solanaNodes) {
      const { chainId } = chain;
      const compared = { ...world, solanaNodes: world.solanaNodes };
      const { slot, ...found } = await verifyVaults(compared, { chainId, now: world.clock.now() });
      answers.push({ chainId, block: slot, ...found, tokens: [] });
    }
  }
  return answers;
}

async function verifyChain(world: World, chain: Chain): Promise<ChainVerification> {
  const { chainId } = chain;
  const view = await confirmedView(world, chainId);
  const drifts: Drift[] = [];
  let payments = 0;
  for await (const page of openPayments(world.database, { chainId, now: world.clock.now() })) {
    payments += page.length;
    for (let start = 0; start < page.length; start += ASKED_AT_ONCE) {
      const batch = page.slice(start, start + ASKED_AT_ONCE);
      const found = await Promise.all(batch.map((terms) => compare(world, { chain, view, terms })));
      drifts.push(...found.filter((drift) => drift !== null));
    }
  }
  const tokens = await Promise.all(chain.tokens.map((token) => cover(world, chain, token)));
  return { chainId, block: String(view.confirmed.number), payments, drifts, tokens };
}

async function compare(
  world: World,
  { chain, view, terms }: { chain: Chain; view: ChainView; terms: PaymentTerms },
): Promise<Drift | null> {
  const { escrow, chainId } = chain;
  const id = terms.termsHash;
  const blockHash = view.confirmed.hash;
  if (!escrow || !isHex(id) || !isHex(blockHash)) return null;
  const { left } = await world.nodes.asking(chainId, (client) =>
    readEscrowState({ client, escrow }, { id, blockHash }),
  );
  const booked = await heldInBooks(world.database, id);
  if (booked === left) return null;
  return { termsHash: id, paymentIntentId: terms.paymentIntentId, booked: String(booked), left: String(left) };
}

async function cover(world: World, chain: Chain, token: Token): Promise<ChainVerification['tokens'][number]> {
  const sum = await world.database.ledgerEntry.aggregate({
    where: { chainId: chain.chainId, tokenKey: token.key, account: 'ESCROW' },
    _sum: { amount: true },
  });
  const booked = sum._sum.amount === null ? 0n : toBigInt(sum._sum.amount);
  const balance = await readBalance(world, chain, token);
  return { tokenKey: token.key, booked: String(booked), balance: String(balance), covered: balance >= booked };
}

async function readBalance({ nodes }: World, chain: Chain, token: Token): Promise<bigint> {
  const { escrow } = chain;
  const address = token.address;
  if (!escrow) return 0n;
  return await nodes.asking(chain.chainId, async (client) => {
    if (address === NATIVE || !isHex(address)) return await client.getBalance({ address: escrow });
    return await client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [escrow] });
  });
}
