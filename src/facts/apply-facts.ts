import { type ChainFact, transaction } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { isDeadlock, isLockTimeout } from '../platform/database/lock-fault.ts';
import type { ChainView } from './chain-view.ts';
import type { FactGroup, FactHandler, PreparedWrite } from './fact-handler.ts';
import { groupFacts, type HandledGroup } from './group-facts.ts';
import { countAttempt, type ProjectorMemory, type ProjectorWorld } from './projector-world.ts';
import { DIRTY_LIMIT, dirtyFacts, limitLockWait, markApplied, noteProgress } from './store.ts';

type Applying = Pick<ProjectorWorld, 'database' | 'clock' | 'handlers' | 'log' | 'observer'> & {
  memory: ProjectorMemory;
};

type Outcome = 'APPLIED' | 'OUTDATED' | { error: unknown };

/** Number of groups whose evidence is read concurrently, and that share a transaction if their handler supports it. */
const PREPARED_AT_ONCE = 100;
/** After this many turns without complete evidence, an operator is alerted. */
const ALARM_AFTER = 30;
/** Alert after this many exceptions; transient faults have cleared by then. */
const FAULT_ALARM_AT = 3;

/**
 * Applies confirmed facts and reverts orphaned ones. Evidence is read before the transaction. Groups of one handler share
 * transactions if the handler supports it, and are written one by one if that fails. A group whose evidence is incomplete or cannot
 * be read, or that cannot be written, waits for the next turn and raises an alarm; it does not delay other groups. Throws the errors
 * of an unavailable node or database.
 */
export async function applyFacts(
  world: Applying,
  { view }: { view: ChainView },
): Promise<{ waiting: number; more: boolean }> {
  // Groups that waited last time come first again, without taking a place from the others.
  const limit = DIRTY_LIMIT + world.memory.waitingFacts;
  const facts = await dirtyFacts(world.database, { chainId: view.chainId, limit });
  await markUnhandled(world, facts);
  const groups = groupFacts(world.handlers, view, facts);
  const waiting = await applyGroups(world, groups);
  world.memory.waitingFacts = factCount(waiting);
  return { waiting: waiting.length, more: facts.length === limit && waiting.length < groups.length };
}

/**
 * Applies confirmed facts with these references, which were put into the inbox after `applyFacts` of the same turn. Returns the number of
 * groups that wait for the next turn.
 */
export async function applyNewFacts(
  world: Applying,
  { view, refs }: { view: ChainView; refs: readonly string[] },
): Promise<number> {
  const facts = await dirtyFacts(world.database, { chainId: view.chainId, limit: DIRTY_LIMIT, refs });
  const waiting = await applyGroups(world, groupFacts(world.handlers, view, facts));
  world.memory.waitingFacts += factCount(waiting);
  return waiting.length;
}

/** Returns the groups that could not be applied. */
async function applyGroups(world: Applying, groups: readonly HandledGroup[]): Promise<HandledGroup[]> {
  const waiting: HandledGroup[] = [];
  for (const [handler, ofHandler] of byHandler(groups)) {
    for (let start = 0; start < ofHandler.length; start += PREPARED_AT_ONCE) {
      const batch = ofHandler.slice(start, start + PREPARED_AT_ONCE);
      const outcomes = await applyBatch(world, handler, batch);
      if (batch[0]) await noteProgress(world, batch[0].chainId);
      for (const group of batch) count(world, group, outcomes.get(group));
      waiting.push(...batch.filter((group) => outcomes.get(group) !== 'APPLIED'));
    }
  }
  return waiting;
}

function factCount(groups: readonly HandledGroup[]): number {
  return groups.reduce((sum, group) => sum + group.facts.length, 0);
}

/** Facts of kinds that have no handler need no further work. */
async function markUnhandled(world: Applying, facts: readonly ChainFact[]): Promise<void> {
  const unhandled = facts.filter((fact) => !world.handlers.has(fact.kind));
  if (unhandled.length === 0) return;
  await transaction(world.database, (tx) => markApplied(tx, unhandled, world.clock.now()));
}

function byHandler(groups: readonly HandledGroup[]): Map<FactHandler, HandledGroup[]> {
  const found = new Map<FactHandler, HandledGroup[]>();
  for (const group of groups) {
    const known = found.get(group.handler);
    if (known) known.push(group);
    else found.set(group.handler, [group]);
  }
  return found;
}

/** The outcome of each group. A group without an entry waits. */
async function applyBatch(
  world: Applying,
  handler: FactHandler,
  batch: readonly HandledGroup[],
): Promise<Map<FactGroup, Outcome>> {
  const outcomes = new Map<FactGroup, Outcome>();
  const take = async ({ groups, write }: PreparedWrite): Promise<Outcome> => {
    const outcome = await writeTogether(world, { groups, write });
    for (const group of groups) outcomes.set(group, outcome);
    return outcome;
  };
  const together = await prepareTogether(world, handler, batch);
  for (const prepared of together ?? (await prepareEach(world, { handler, groups: batch, outcomes }))) {
    if ((await take(prepared)) === 'APPLIED' || prepared.groups.length === 1) continue;
    // One group prevents the others from being written, so each is written alone.
    for (const group of prepared.groups) outcomes.delete(group);
    for (const alone of await prepareEach(world, { handler, groups: prepared.groups, outcomes })) await take(alone);
  }
  return outcomes;
}

/** Returns null if each group must be prepared alone: there is only one, the handler cannot combine them, or one of them fails. */
async function prepareTogether(
  world: Applying,
  handler: FactHandler,
  batch: readonly HandledGroup[],
): Promise<readonly PreparedWrite[] | null> {
  if (!handler.prepareTogether || batch.length === 1) return null;
  try {
    return await handler.prepareTogether(batch);
  } catch (error) {
    await failure(world, batch, error);
    return null;
  }
}

/** Records the groups that cannot be prepared in `outcomes`. */
async function prepareEach(
  world: Applying,
  {
    handler,
    groups,
    outcomes,
  }: { handler: FactHandler; groups: readonly FactGroup[]; outcomes: Map<FactGroup, Outcome> },
): Promise<PreparedWrite[]> {
  const answers = await Promise.allSettled(groups.map((group) => handler.prepare(group)));
  const writes: PreparedWrite[] = [];
  for (const [index, group] of groups.entries()) {
    const answer = answers[index];
    if (answer?.status === 'rejected') outcomes.set(group, await failure(world, [group], answer.reason));
    else if (answer?.value) writes.push({ groups: [group], write: answer.value });
  }
  return writes;
}

async function writeTogether(world: Applying, { groups, write }: PreparedWrite): Promise<Outcome> {
  const facts = groups.flatMap((group) => group.facts);
  const writes = [write].flat();
  const last = writes.pop();
  try {
    for (const piece of writes) {
      await transaction(world.database, async (tx) => {
        await limitLockWait(tx);
        await piece(tx);
      });
      if (groups[0]) await noteProgress(world, groups[0].chainId);
    }
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await markApplied(tx, facts, world.clock.now());
      await last?.(tx);
    });
    return 'APPLIED';
  } catch (error) {
    return await failure(world, groups, error);
  }
}

/** Handles an error of these groups alone. An unavailable node or database throws and ends the turn. */
async function failure(world: Applying, groups: readonly FactGroup[], error: unknown): Promise<Outcome> {
  if (error instanceof GatewayError && error.code === 'CHAIN_UNAVAILABLE') throw error;
  const outdated = error instanceof GatewayError && error.code === 'CONFLICT';
  if (!outdated && !isLockTimeout(error) && !isDeadlock(error)) {
    await world.database.$queryRaw`SELECT 1`;
    return { error };
  }
  const fields = { chainId: groups[0]?.chainId, refs: groups.map((group) => group.ref) };
  world.log.debug(fields, 'Facts changed while they were applied. They will be applied again.');
  return 'OUTDATED';
}

function count(world: Applying, group: HandledGroup, outcome: Outcome | undefined): void {
  const { chainId, ref } = group;
  const key = ref ?? group.facts.map((fact) => `${fact.blockHash}-${fact.logIndex}`).join();
  if (outcome === 'APPLIED') {
    world.memory.attempts.delete(key);
    for (const fact of group.facts) world.observer?.applied?.({ chainId, kind: fact.kind, facts: 1 });
    return;
  }
  const attempts = countAttempt(world.memory, key);
  const error = typeof outcome === 'object' ? outcome.error : null;
  // Repeated exceptions indicate a bug. They are reported early, and then as rarely as other faults.
  const isReported = attempts % ALARM_AFTER === 0 || (error !== null && attempts === FAULT_ALARM_AT);
  if (!isReported) return;
  if (error === null) {
    world.log.error(
      { chainId, ref, attempts },
      'The chain contradicts the facts of a payment: it is not applied until they agree.',
    );
  } else {
    world.log.error(
      { chainId, ref, attempts, error },
      'Some facts could not be applied. Other facts are applied without them.',
    );
  }
  world.observer?.stuck?.({ chainId, ref, attempts });
}
