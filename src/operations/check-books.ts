import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import type { CreditDrift } from '../payments/verification/verify-credits.ts';
import { type Drift, verifyChain } from '../payments/verification/verify-open-payments.ts';
import type { Clock } from '../platform/clock.ts';

export type CheckedBooks = {
  chainId: number;
  payments: number;
  drifts: Drift[];
  /** Keys of the tokens of which the escrow contract holds too little. */
  uncovered: string[];
  /** Recipients to whom the escrow contract owes an amount other than the one in the ledger. */
  credits: CreditDrift[];
};

type World = {
  database: Database;
  nodes: EvmNodes;
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  clock: Clock;
};

/** A difference that exists only while a projector turn is in progress is not a drift. The check is repeated after this delay. */
const SECOND_LOOK_MS = 5_000;

/**
 * Compares the ledger of every open payment with the escrow contract, as of the block up to which the ledger is complete. If anything
 * differs, it compares a second time, and only a difference that is the same both times counts as a drift. A chain that cannot be compared
 * is left out of the result, reported through `onFault`, and does not prevent the others from being compared. Writes nothing.
 */
export async function checkBooks(
  world: World,
  options: { secondLookMs?: number; onFault?: (chainId: number, error: unknown) => void } = {},
): Promise<CheckedBooks[]> {
  const first = await look(world, options);
  const differing = first.reduce(
    (sum, { drifts, uncovered, credits }) => sum + drifts.length + uncovered.length + credits.length,
    0,
  );
  if (differing === 0) return first;
  await delay(options.secondLookMs ?? SECOND_LOOK_MS);
  const second = await look(world, options);
  return second.map((chain) => {
    const before = first.find((other) => other.chainId === chain.chainId);
    return {
      ...chain,
      drifts: chain.drifts.filter((drift) => before?.drifts.some((other) => isSame(drift, other))),
      uncovered: chain.uncovered.filter((key) => before?.uncovered.includes(key)),
      credits: chain.credits.filter((credit) => before?.credits.some((other) => isDeepStrictEqual(credit, other))),
    };
  });
}

async function look(
  world: World,
  { onFault }: { onFault?: (chainId: number, error: unknown) => void },
): Promise<CheckedBooks[]> {
  const checked: CheckedBooks[] = [];
  for (const chain of world.registry.enabled()) {
    const { chainId } = chain;
    try {
      const found = await verifyChain(world, chain, { at: 'APPLIED' });
      if (!found) continue;
      const uncovered = found.tokens.filter((token) => !token.covered).map((token) => token.tokenKey);
      const { payments, drifts, credits } = found;
      checked.push({ chainId, payments, drifts, uncovered, credits });
    } catch (error) {
      onFault?.(chainId, error);
    }
  }
  return checked;
}

function isSame(left: Drift, right: Drift): boolean {
  return left.termsHash === right.termsHash && left.booked === right.booked && left.left === right.left;
}
