/** How payments handle the escrow's events for the projector. */
import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import type { FactGroup, FactHandler, FactHandlers, PreparedWrite, PreparedWrites } from '../../facts/fact-handler.ts';
import { paymentEventKinds } from '../fold.ts';
import { readBelievedClaims } from '../payouts/believed-claims.ts';
import { claimFactHandler } from '../payouts/claim-fact-handler.ts';
import { areEmitted, openReceipts } from '../payouts/emitted-logs.ts';
import { reportUnreportedCredits } from '../payouts/unreported-credits.ts';
import type { FoldingWorld } from './folding-world.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { reportAuthorizations } from './report-authorizations.ts';
import { reportPending } from './report-pending.ts';
import { reportVanished } from './report-vanished.ts';
import { isCredited, writePayments } from './write-payments.ts';

/**
 * The handlers for the projector's table: every escrow event that changes a payment or reports that a recipient could not be
 * paid.
 */
export function paymentFactHandlers(world: FoldingWorld): FactHandlers {
  const handler: FactHandler = {
    prepare: (group) => prepare(world, group),
    prepareTogether: (groups) => prepareTogether(world, groups),
    seen: reportPending,
    vanished: reportVanished,
  };
  const kinds = [...paymentEventKinds, 'Credited'];
  return new Map([...kinds.map((kind) => [kind, handler] as const), ['Claimed', claimFactHandler(world)]]);
}

/** Null while facts and contract disagree. Terms that this gateway did not sign change nothing, whatever the facts say. */
async function prepare(world: FoldingWorld, group: FactGroup): Promise<PreparedWrites | null> {
  const [prepared] = await prepareTogether(world, [group]);
  return prepared?.write ?? null;
}

/** Prepares one write for all groups: it locks their intents first and appends their events last. */
async function prepareTogether(world: FoldingWorld, groups: readonly FactGroup[]): Promise<PreparedWrite[]> {
  const own = await ownTerms(world.database, groups);
  const subjects = groups.flatMap((group) => {
    const terms = group.ref === null ? undefined : own.get(group.ref);
    return terms ? [{ group, terms }] : [];
  });
  const chainId = groups[0]?.chainId ?? 0;
  const receipts = openReceipts(world, chainId);
  const found = await gatherEvidence(world, { subjects, receipts });
  const agreed = found.filter((one) => one !== null);
  const areCredited = await Promise.all(agreed.map(({ group: { facts } }) => areEmitted(world, { facts, receipts })));
  const evidence = agreed.filter((_, index) => areCredited[index]);
  const unmatched = groups.filter((group) => group.ref === null || !own.has(group.ref));
  const ready = [...unmatched, ...evidence.map((one) => one.group)];
  if (ready.length === 0) return [];
  await reportUnreportedCredits(world, { evidence, receipts });
  await reportAuthorizations(world, { evidence, receipts });
  const termsHashes = evidence.filter(isCredited).map(({ terms }) => terms.termsHash);
  const believed = await readBelievedClaims(world, { chainId, termsHashes, receipts });
  return [{ groups: ready, write: (tx) => writePayments(tx, world, { evidence, believed }) }];
}

/** The terms that this gateway signed, by terms hash. */
async function ownTerms(database: Database, groups: readonly FactGroup[]): Promise<Map<string, PaymentTerms>> {
  const refs = groups.map((group) => group.ref).filter((ref) => ref !== null);
  const chainId = groups[0]?.chainId;
  if (chainId === undefined || refs.length === 0) return new Map();
  const rows = await database.paymentTerms.findMany({ where: { termsHash: { in: refs }, chainId } });
  return new Map(rows.map((row) => [row.termsHash, row]));
}
