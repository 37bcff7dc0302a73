import { type ChainFact, transaction } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { isDeadlock, isLockTimeout } from '../platform/lock-fault.ts';
import type { ChainView } from './chain-view.ts';
import type { FactGroup, FactHandler, PreparedWrite } from './fact-handler.ts';
import { groupFacts, type HandledGroup } from './group-facts.ts';
import type { ProjectorMemory, ProjectorWorld } from './projector-world.ts';
import { DIRTY_LIMIT, dirtyFacts, limitLockWait, markApplied } from './store.ts';

type Applying = Pick<ProjectorWorld, 'database' | 'clock' | 'handlers' | 'log' | 'observer'> & {
  memory: ProjectorMemory;
};

type Outcome = 'APPLIED' | 'OUTDATED' | { error: unknown };

/** Groups whose evidence is read side by side, and which share a transaction where their handler can. */
const PREPARED_AT_ONCE = 16;
/** Turns without whole evidence after which an operator is told. */
const ALARM_AFTER = 30;

/**
 * Applies confirmed facts and takes orphaned ones back, evidence read before the transaction. Groups of one handler share
 * transactions where it knows how, and have each its own where that fails. A group whose evidence is not whole, or that
 * cannot be written, waits for the next turn and is alarmed of; it holds up no other. Throws what node and database throw
 * when they are away.
 */
export async function applyFacts(
  world: Applying,
  { view }: { view: ChainView },
): Promise<{ waiting: number; more: boolean }> {
  const facts = await dirtyFacts(world.database, view.chainId);
  await markUnhandled(world, facts);
  const groups = groupFacts(world.handlers, view, facts);
  let waiting = 0;
  for (const [handler, ofHandler] of byHandler(groups)) {
    for (let start = 0; start < ofHandler.length; start += PREPARED_AT_ONCE) {
      const batch = ofHandler.slice(start, start + PREPARED_AT_ONCE);
      const outcomes = await applyBatch(world, handler, batch);
      for (const group of batch) count(world, group, outcomes.get(group));
      waiting += batch.filter((group) => outcomes.get(group) !== 'APPLIED').length;
    }
  }
  return { waiting, more: facts.length === DIRTY_LIMIT && waiting < groups.length };
}

/** Kinds that no room asked for are done with as they are. */
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

/** What became of each group; one of which nothing is said waits. */
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
  const together =
    handler.prepareTogether && batch.length > 1
      ? await handler.prepareTogether(batch)
      : await prepareEach(handler, batch);
  for (const prepared of together) {
    if ((await take(prepared)) === 'APPLIED' || prepared.groups.length === 1) continue;
    // One of them keeps the others from being written: each goes alone.
    for (const group of prepared.groups) outcomes.delete(group);
    for (const alone of await prepareEach(handler, prepared.groups)) await take(alone);
  }
  return outcomes;
}

async function prepareEach(handler: FactHandler, groups: readonly FactGroup[]): Promise<PreparedWrite[]> {
  const writes = await Promise.all(groups.map((group) => handler.prepare(group)));
  return groups.flatMap((group, index) => {
    const write = writes[index];
    return write ? [{ groups: [group], write }] : [];
  });
}

async function writeTogether(world: Applying, { groups, write }: PreparedWrite): Promise<Outcome> {
  const facts = groups.flatMap((group) => group.facts);
  try {
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await markApplied(tx, facts, world.clock.now());
      await write(tx);
    });
    return 'APPLIED';
  } catch (error) {
    const outdated = error instanceof GatewayError && error.code === 'CONFLICT';
    if (!outdated && !isLockTimeout(error) && !isDeadlock(error)) {
      // Of a database that is away this throws, and ends the turn; one that answers has refused these alone.
      await world.database.$queryRaw`SELECT 1`;
      return { error };
    }
    const fields = { chainId: facts[0]?.chainId, refs: groups.map((group) => group.ref) };
    world.log.debug(fields, 'Facts changed while they were applied; they are applied again.');
    return 'OUTDATED';
  }
}

function count(world: Applying, group: HandledGroup, outcome: Outcome | undefined): void {
  const { chainId, ref } = group;
  const key = ref ?? group.facts.map((fact) => `${fact.blockHash}-${fact.logIndex}`).join();
  if (outcome === 'APPLIED') {
    world.memory.tries.delete(key);
    for (const fact of group.facts) world.observer?.applied?.({ chainId, kind: fact.kind, facts: 1 });
    return;
  }
  const tries = (world.memory.tries.get(key) ?? 0) + 1;
  world.memory.tries.set(key, tries);
  const error = typeof outcome === 'object' ? outcome.error : null;
  // What cannot be written is a bug of ours: it is told at once, and then as rarely as the rest.
  const isTold = tries % ALARM_AFTER === 0 || (error !== null && tries === 1);
  if (!isTold) return;
  if (error === null) {
    world.log.error(
      { chainId, ref, tries },
      'The chain contradicts the facts of a payment: it is not applied until they agree.',
    );
  } else {
    world.log.error({ chainId, ref, tries, error }, 'Facts could not be written; the others go on without them.');
  }
  world.observer?.stuck?.({ chainId, ref, tries });
}
