/** Fact kind to handler: the handlers to which the projector passes facts, inside its own transaction. */
import type { Database, DatabaseTransaction } from '../../prisma/client.ts';
import { followAuthorizations } from '../customers/follow-authorizations.ts';
import { reportTransfers, type UnexpectedTransfer } from '../customers/report-transfers.ts';
import type { FactGroup, FactHandler, FactHandlers } from '../facts/fact-handler.ts';
import { schedulePaymentWork } from '../payments/actions/schedule-payment-work.ts';
import { depositFactHandlers } from '../payments/deposits/deposit-fact-handler.ts';
import type { FoldingWorld } from '../payments/facts/folding-world.ts';
import { paymentFactHandlers } from '../payments/facts/payment-fact-handler.ts';
import { exactFactHandlers } from '../payments/x402/exact/exact-fact-handler.ts';
import type { Log } from '../platform/log.ts';
import { traced } from '../platform/request-trace.ts';
import { followAllowances } from '../subscriptions/consent/follow-allowances.ts';
import { followConsents } from '../subscriptions/consent/follow-consents.ts';

type World = Omit<FoldingWorld, 'hooks'> & {
  log: Log;
  unexpectedTransfer?: ((transfer: UnexpectedTransfer) => void) | undefined;
};

export function factTable(world: World): FactHandlers {
  const authorizations = both(followAuthorizations(world), followAllowances(world));
  const consents = followConsents(world);
  const handlers = new Map<string, FactHandler>([
    ...paymentFactHandlers({ ...world, hooks: schedulePaymentWork(world) }),
    ...depositFactHandlers({ ...world, hooks: {} }),
    ...exactFactHandlers(world),
    ['Approval', authorizations],
    ['Transfer', both(authorizations, reportTransfers(world))],
    ['Charged', consents],
    ['Revoked', consents],
  ]);
  return tracedHandlers(world.database, handlers);
}

/** Combines two handlers of the same fact kind. Either both write in one transaction, or neither does. */
function both(first: FactHandler, second: FactHandler): FactHandler {
  return {
    gathers: first.gathers === true && second.gathers === true,
    async prepare(group) {
      const writes = await Promise.all([first.prepare(group), second.prepare(group)]);
      const ready = writes.filter((write) => write !== null);
      if (ready.length < writes.length) return null;
      return async (tx) => {
        for (const write of ready.flat()) await write(tx);
      };
    },
  };
}

/** Attaches the id of the API request that caused one of the installation's transactions to everything that follows from it. */
function tracedHandlers(database: Database, handlers: FactHandlers): FactHandlers {
  const wrapped = new Map<FactHandler, FactHandler>();
  for (const handler of new Set(handlers.values())) wrapped.set(handler, tracedHandler(database, handler));
  return new Map([...handlers].map(([kind, handler]) => [kind, wrapped.get(handler) ?? handler]));
}

function tracedHandler(database: Database, handler: FactHandler): FactHandler {
  const { seen, vanished, prepareTogether } = handler;
  // Gathered facts follow from many requests, so no single request id applies.
  if (handler.gathers) return handler;
  return {
    async prepare(group) {
      const requestId = (await requestsOf(database, [group])).get(group) ?? null;
      const writes = await traced(requestId, () => handler.prepare({ ...group, requestId }));
      return writes && [writes].flat().map((write) => (tx: DatabaseTransaction) => traced(requestId, () => write(tx)));
    },
    ...(prepareTogether
      ? {
          async prepareTogether(groups) {
            const requests = await requestsOf(database, groups);
            for (const group of groups) group.requestId = requests.get(group) ?? null;
            return await prepareTogether(groups);
          },
        }
      : {}),
    ...(seen
      ? {
          seen: async (tx, group) => await traced((await requestsOf(tx, [group])).get(group), () => seen(tx, group)),
        }
      : {}),
    ...(vanished ? { vanished } : {}),
  };
}

/** For each group, the request id of the installation's newest transaction in it that has one. In a batch, that of the payment's own item. */
async function requestsOf(
  database: Pick<Database, 'outgoingAttempt' | 'outgoingTransaction' | 'transaction'>,
  groups: readonly FactGroup[],
): Promise<Map<FactGroup, string>> {
  const hashes = [...new Set(groups.flatMap((group) => group.facts.map((fact) => fact.txHash)))];
  const attempts = await database.outgoingAttempt.findMany({
    where: { hash: { in: hashes } },
    select: { hash: true, outgoingId: true },
  });
  if (attempts.length === 0) return new Map();
  const minedIds = [...new Set(attempts.map(({ outgoingId }) => outgoingId))];
  const sent = await database.outgoingTransaction.findMany({
    where: { requestId: { not: null }, OR: [{ id: { in: minedIds } }, { batchId: { in: minedIds } }] },
    orderBy: { id: 'desc' },
    select: { id: true, requestId: true, transactionId: true, batchId: true },
  });
  if (sent.length === 0) return new Map();
  const items = sent.flatMap(({ batchId, transactionId }) => (batchId && transactionId ? [transactionId] : []));
  const rows = await database.transaction.findMany({
    where: { id: { in: items } },
    select: { id: true, termsHash: true },
  });
  const refs = new Map(rows.map(({ id, termsHash }) => [id, termsHash]));
  const found = new Map<FactGroup, string>();
  for (const group of groups) {
    const own = sent.find(({ id, batchId, transactionId }) => {
      const isItsItem = !batchId || (group.ref !== null && refs.get(transactionId ?? '') === group.ref);
      const mined = attempts.filter(({ outgoingId }) => outgoingId === (batchId ?? id));
      return isItsItem && group.facts.some((fact) => mined.some(({ hash }) => hash === fact.txHash));
    });
    if (own?.requestId) found.set(group, own.requestId);
  }
  return found;
}
