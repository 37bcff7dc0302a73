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

/** Groups whose evidence is read side by side, and which share a transaction where their handler can. */
const PREPARED_AT_ONCE = 16;
/** Turns without whole evidence after which an operator is told. */
const ALARM_AFTER = 30;

/**
 * Applies confirmed facts and takes orphaned ones back, evidence read before the transaction. Groups of one handler share
 * transactions where it knows how, and have each its own where that meets a conflict. A group whose evidence is not whole
 * waits for the next turn and is alarmed of after some.
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
      const applied = await applyBatch(world, handler, batch);
      for (const group of batch) count(world, group, applied.has(group));
      waiting += batch.filter((group) => !applied.has(group)).length;
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

/** Answers the groups that were applied. */
async function applyBatch(
  world: Applying,
  handler: FactHandler,
  batch: readonly HandledGroup[],
): Promise<Set<FactGroup>> {
  const applied = new Set<FactGroup>();
  const take = async ({ groups, write }: PreparedWrite): Promise<boolean> => {
    const isWritten = await writeTogether(world, { groups, write });
    if (isWritten) for (const group of groups) applied.add(group);
    return isWritten;
  };
  const together =
    handler.prepareTogether && batch.length > 1
      ? await handler.prepareTogether(batch)
      : await prepareEach(handler, batch);
  for (const prepared of together) {
    if ((await take(prepared)) || prepared.groups.length === 1) continue;
    // One of them keeps the others from being written: each goes alone.
    for (const alone of await prepareEach(handler, prepared.groups)) await take(alone);
  }
  return applied;
}

async function prepareEach(handler: FactHandler, groups: readonly FactGroup[]): Promise<PreparedWrite[]> {
  const writes = await Promise.all(groups.map((group) => handler.prepare(group)));
  return groups.flatMap((group, index) => {
    const write = writes[index];
    return write ? [{ groups: [group], write }] : [];
  });
}

async function writeTogether(world: Applying, { groups, write }: PreparedWrite): Promise<boolean> {
  const facts = groups.flatMap((group) => group.facts);
  try {
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await markApplied(tx, facts, world.clock.now());
      await write(tx);
    });
    return true;
  } catch (error) {
    const outdated = error instanceof GatewayError && error.code === 'CONFLICT';
    if (!outdated && !isLockTimeout(error) && !isDeadlock(error)) throw error;
    const fields = { chainId: facts[0]?.chainId, refs: groups.map((group) => group.ref) };
    world.log.debug(fields, 'Facts changed while they were applied; they are applied again.');
    return false;
  }
}

function count(world: Applying, group: HandledGroup, applied: boolean): void {
  const key = group.ref ?? group.facts.map((fact) => `${fact.blockHash}-${fact.logIndex}`).join();
  if (applied) {
    world.memory.tries.delete(key);
    for (const fact of group.facts) {
      world.observer?.applied?.({ chainId: group.chainId, kind: fact.kind, facts: 1 });
    }
    return;
  }
  const tries = (world.memory.tries.get(key) ?? 0) + 1;
  world.memory.tries.set(key, tries);
  if (tries < ALARM_AFTER || tries % ALARM_AFTER !== 0) return;
  world.log.error(
    { chainId: group.chainId, ref: group.ref, tries },
    'The chain contradicts the facts of a payment: it is not applied until they agree.',
  );
  world.observer?.stuck?.({ chainId: group.chainId, ref: group.ref, tries });
}
