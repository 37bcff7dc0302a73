import { type Hex, isAddressEqual, isHex, TransactionReceiptNotFoundError } from 'viem';
import type { ChainFact, Database } from '../../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../../facts/fact-handler.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { lockIntents } from '../facts/lock-intents.ts';
import { toClaim } from './credit-facts.ts';
import type { Claim } from './payout.ts';
import { writePayouts } from './write-payouts.ts';

type Credited = { termsHash: string; paymentIntentId: string; tokenKey: string; chainId: number };

/**
 * What the projector does with a claim: it delivers what was credited to its recipient in its token before it, of all
 * payments that this gateway knows, and nothing where there are none.
 */
export function claimFactHandler(world: FoldingWorld): FactHandler {
  return { prepare: (group) => prepare(world, group) };
}

async function prepare(world: FoldingWorld, group: FactGroup): Promise<WriteFacts | null> {
  const claims = group.facts.filter((fact) => isOfEscrow(world, fact)).flatMap((fact) => toClaim(fact) ?? []);
  const payments = await creditedPayments(world.database, claims);
  if (payments.length > 0 && !(await areEmitted(world, group))) return null;
  return async (tx) => {
    if (payments.length === 0) return;
    await lockIntents(
      tx,
      payments.map(({ paymentIntentId }) => paymentIntentId),
    );
    const told = new Map<string, NewEvent[]>();
    for (const { appId, event } of await writePayouts(tx, world, { view: group.view, payments })) {
      told.set(appId, [...(told.get(appId) ?? []), event]);
    }
    for (const appId of [...told.keys()].sort()) await appendEvents(tx, appId, told.get(appId) ?? []);
  };
}

/** Those that the claims may have delivered, or that one of them is known to have: later claims than these delivered the rest. */
async function creditedPayments(database: Database, claims: readonly Claim[]): Promise<Credited[]> {
  if (claims.length === 0) return [];
  const rows = await database.creditedPayout.findMany({
    where: {
      OR: claims.map(({ chainId, recipient, token, blockNumber }) => ({
        chainId,
        recipient,
        token,
        OR: [{ deliveredAt: null }, { deliveredBlockNumber: { gte: blockNumber } }],
      })),
    },
    select: { termsHash: true, paymentIntentId: true, tokenKey: true, chainId: true },
  });
  return [...new Map(rows.map((row) => [row.termsHash, row])).values()];
}

/**
 * Whether the node itself has the credits and claims among a group's confirmed facts, in their blocks: no state of the
 * contract tells of one payment's credit alone. False while it has not.
 */
export async function areEmitted(world: FoldingWorld, group: FactGroup): Promise<boolean> {
  const facts = group.facts.filter((fact) => fact.status === 'CONFIRMED' && /^(Credited|Claimed)$/.test(fact.kind));
  const byTransaction = Map.groupBy(facts, (fact) => fact.txHash);
  const answers = await Promise.all(
    [...byTransaction].map(async ([hash, ofOne]) => {
      const logs = await readLogs(world, group.chainId, hash);
      return ofOne.every(
        (fact) =>
          isOfEscrow(world, fact) && logs.has(`${fact.blockHash}-${fact.logIndex}-${fact.address.toLowerCase()}`),
      );
    }),
  );
  return answers.every((answer) => answer);
}

async function readLogs(world: FoldingWorld, chainId: number, hash: string): Promise<Set<string>> {
  if (!isHex(hash)) return new Set();
  const logs = await world.nodes.asking(chainId, (client) =>
    client.getTransactionReceipt({ hash }).then(
      (receipt) => receipt.logs,
      (error: unknown) => {
        // A node that lags, or a transaction that a reorganisation took.
        if (error instanceof TransactionReceiptNotFoundError) return [];
        throw error;
      },
    ),
  );
  return new Set(logs.map((log) => placeOf(log)));
}

function placeOf(log: { blockHash: Hex; logIndex: number; address: Hex }): string {
  return `${log.blockHash.toLowerCase()}-${log.logIndex}-${log.address.toLowerCase()}`;
}

function isOfEscrow({ registry }: FoldingWorld, fact: ChainFact): boolean {
  const escrow = registry.chain(fact.chainId)?.escrow;
  return escrow !== undefined && escrow !== null && isHex(fact.address) && isAddressEqual(fact.address, escrow);
}
