import type { ChainFact, DatabaseTransaction, ExactAuthorization } from '../../../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../../events/append-events.ts';
import type { EventType } from '../../../events/event-type.ts';
import type { FactGroup, FactHandler, FactHandlers } from '../../../facts/fact-handler.ts';
import { lockPayment } from '../../actions/lock-payment.ts';
import { finalityOf } from '../../facts/finality.ts';
import type { FoldingWorld } from '../../facts/folding-world.ts';
import { TRANSFERRED } from '../../ledger.ts';
import { paymentIntentFields } from '../../payment-intent-fields.ts';
import { openReceipts } from '../../payouts/emitted-logs.ts';
import { exactKinds, outcomeOf } from './exact-authorization.ts';
import { appendFacilitatedEvent } from './facilitated-event.ts';
import { isTransferOf } from './find-uses.ts';
import { findAuthorization, lockAuthorization, standingUses } from './store.ts';
import { writeOutcome } from './write-outcome.ts';

type World = Pick<FoldingWorld, 'database' | 'nodes' | 'clock' | 'registry'>;

/**
 * Handles the uses and cancellations of authorizations for the projector: writes the outcome, and appends `settled`, `failed`, and `reverted`
 * for an outcome that a reorganization removed. A transfer is written only if the node's receipt shows it. Facts of unknown authorizations
 * are ignored.
 */
export function exactFactHandlers(world: World): FactHandlers {
  const handler: FactHandler = {
    async prepare(group) {
      const authorization = await authorizationOf(world.database, group);
      if (!authorization) return async () => undefined;
      const receipts = openReceipts(world, group.chainId);
      let gasUsed: bigint | null = null;
      for (const fact of group.facts) {
        if (fact.status !== 'CONFIRMED' || fact.kind !== TRANSFERRED) continue;
        const receipt = await receipts(fact.txHash);
        const isShown =
          receipt?.blockHash.toLowerCase() === fact.blockHash && isTransferOf(authorization, receipt, fact.logIndex);
        if (!isShown) return null;
        gasUsed = receipt.gasUsed;
      }
      return (tx) => apply(tx, world, { group, authorization, gasUsed });
    },
    async vanished(tx, group) {
      const authorization = await authorizationOf(tx, group);
      if (authorization) await vanish(tx, { group, authorization });
    },
  };
  return new Map(exactKinds.map((kind) => [kind, handler]));
}

async function authorizationOf(
  database: Pick<DatabaseTransaction, 'exactAuthorization'>,
  { chainId, ref }: FactGroup,
): Promise<ExactAuthorization | null> {
  return ref === null ? null : await findAuthorization(database, { chainId, paymentKey: ref });
}

async function apply(
  tx: DatabaseTransaction,
  world: World,
  {
    group,
    authorization: known,
    gasUsed,
  }: { group: FactGroup; authorization: ExactAuthorization; gasUsed: bigint | null },
): Promise<void> {
  const { before, authorization } = await lockBoth(tx, known);
  const standing = await standingUses(tx, authorization);
  const outcome = outcomeOf(authorization, standing);
  const isChanged = outcome.status !== authorization.status || outcome.failure !== authorization.failure;
  const intent = await writeOutcome(tx, world, { authorization, outcome, gasUsed });
  if (authorization.paymentIntentId === null) {
    const decisive = outcome.fact ?? group.facts[0];
    if (decisive) {
      const finality = finalityOf(group.view, decisive.blockNumber);
      await appendFacilitatedEvent(tx, { before: authorization, finality });
    }
    return;
  }
  if (!intent || !before || !isChanged) return;
  const data = paymentIntentFields(intent);
  const events: NewEvent[] = [];
  const [lost] = group.facts.filter((fact: ChainFact) => fact.status === 'ORPHANED');
  const append = (type: EventType, finality: NewEvent['finality']) =>
    events.push({ type, resourceId: intent.id, data, ...(finality ? { finality } : {}) });
  if (authorization.status !== 'PENDING' && lost) {
    append('payment_intent.reverted', {
      ...finalityOf(group.view, lost.blockNumber),
      confirmations: 0,
      isFinal: false,
    });
  }
  const { fact } = outcome;
  if (fact && outcome.status !== 'PENDING') {
    const type = outcome.status === 'SETTLED' ? 'payment_intent.settled' : 'payment_intent.failed';
    append(type, finalityOf(group.view, fact.blockNumber));
  }
  await appendEvents(tx, intent.appId, events);
}

/** A use that was reported as pending, and whose block left the chain before it was confirmed. */
async function vanish(
  tx: DatabaseTransaction,
  { group, authorization: known }: { group: FactGroup; authorization: ExactAuthorization },
): Promise<void> {
  const { before: intent, authorization } = await lockBoth(tx, known);
  if (authorization.status === 'SETTLED') return;
  await tx.exactAuthorization.update({
    where: { id: authorization.id },
    data: { txHash: null, blockNumber: null, blockHash: null },
  });
  const [transfer] = group.facts.filter(({ kind }) => kind === TRANSFERRED);
  if (!intent || !transfer || intent.status !== 'CREATED') return;
  await appendEvents(tx, intent.appId, [
    {
      type: 'payment_intent.reverted',
      resourceId: intent.id,
      data: paymentIntentFields(intent),
      finality: { ...finalityOf(group.view, transfer.blockNumber), confirmations: 0, isFinal: false },
    },
  ]);
}

async function lockBoth(tx: DatabaseTransaction, { id, paymentIntentId }: ExactAuthorization) {
  const before = paymentIntentId === null ? null : await lockPayment(tx, { id: paymentIntentId, scope: null });
  return { before, authorization: await lockAuthorization(tx, id) };
}
