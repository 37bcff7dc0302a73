import type { Database } from '../../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../../facts/fact-handler.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { lockIntents } from '../facts/lock-intents.ts';
import { readBelievedClaims } from './believed-claims.ts';
import { toClaim } from './credit-facts.ts';
import { areEmitted, isOfEmitter, openReceipts } from './emitted-logs.ts';
import type { Claim } from './payout.ts';
import { writePayouts } from './write-payouts.ts';

type Credited = { termsHash: string; paymentIntentId: string; tokenKey: string; chainId: number };

/** The number of payments whose payouts are written in one transaction. */
const AT_ONCE = 100;

/**
 * How the projector handles a claim: it delivers what was credited before it to the same recipient in the same token, for all
 * payments that this gateway knows, and does nothing if there are none.
 */
export function claimFactHandler(world: FoldingWorld): FactHandler {
  return { prepare: (group) => prepare(world, group) };
}

async function prepare(world: FoldingWorld, group: FactGroup): Promise<WriteFacts[] | null> {
  const claims = group.facts.filter((fact) => isOfEmitter(world, fact)).flatMap((fact) => toClaim(fact) ?? []);
  const payments = await creditedPayments(world.database, claims);
  const receipts = openReceipts(world, group.chainId);
  if (payments.length > 0 && !(await areEmitted(world, { facts: group.facts, receipts }))) return null;
  const writes: WriteFacts[] = [];
  for (let start = 0; start < payments.length; start += AT_ONCE) {
    const part = payments.slice(start, start + AT_ONCE);
    const termsHashes = part.map(({ termsHash }) => termsHash);
    const believed = await readBelievedClaims(world, { chainId: group.chainId, termsHashes, receipts });
    writes.push(async (tx) => {
      await lockIntents(
        tx,
        part.map(({ paymentIntentId }) => paymentIntentId),
      );
      const eventsByApp = new Map<string, NewEvent[]>();
      for (const { appId, event } of await writePayouts(tx, world, { view: group.view, payments: part, believed })) {
        eventsByApp.set(appId, [...(eventsByApp.get(appId) ?? []), event]);
      }
      for (const appId of [...eventsByApp.keys()].sort()) await appendEvents(tx, appId, eventsByApp.get(appId) ?? []);
    });
  }
  return writes;
}

/** The payments that the claims may have delivered, or are known to have delivered. The rest were delivered by later claims. */
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
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
    select: { termsHash: true, paymentIntentId: true, tokenKey: true, chainId: true },
  });
  return [...new Map(rows.map((row) => [row.termsHash, row])).values()];
}
