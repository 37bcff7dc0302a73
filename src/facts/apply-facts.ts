import { type ChainFact, transaction } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { isLockTimeout } from '../platform/lock-timeout.ts';
import type { ChainView } from './chain-view.ts';
import type { WriteFacts } from './fact-handler.ts';
import { groupFacts, type HandledGroup } from './group-facts.ts';
import type { ProjectorMemory, ProjectorWorld } from './projector-world.ts';
import { DIRTY_LIMIT, dirtyFacts, limitLockWait, markApplied } from './store.ts';

type Applying = Pick<ProjectorWorld, 'database' | 'clock' | 'handlers' | 'log' | 'observer'> & {
  memory: ProjectorMemory;
};

/** Groups whose evidence is read side by side. */
const PREPARED_AT_ONCE = 8;
/** Turns without whole evidence after which an operator is told. */
const ALARM_AFTER = 30;

/**
 * Applies confirmed facts and takes orphaned ones back, a transaction a group, evidence read before it. A group whose
 * evidence is not whole waits for the next turn and is alarmed of after some.
 */
export async function applyFacts(
  world: Applying,
  { view }: { view: ChainView },
): Promise<{ waiting: number; more: boolean }> {
  const facts = await dirtyFacts(world.database, view.chainId);
  await markUnhandled(world, facts);
  const groups = groupFacts(world.handlers, view, facts);
  let waiting = 0;
  for (let start = 0; start < groups.length; start += PREPARED_AT_ONCE) {
    const batch = groups.slice(start, start + PREPARED_AT_ONCE);
    const writes = await Promise.all(batch.map((group) => group.handler.prepare(group)));
    for (const [index, group] of batch.entries()) {
      const applied = await write(world, group, writes[index] ?? null);
      if (!applied) waiting += 1;
      count(world, group, applied);
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

async function write(world: Applying, group: HandledGroup, writeFacts: WriteFacts | null): Promise<boolean> {
  if (!writeFacts) return false;
  try {
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await markApplied(tx, group.facts, world.clock.now());
      await writeFacts(tx);
    });
    return true;
  } catch (error) {
    const outdated = error instanceof GatewayError && error.code === 'CONFLICT';
    if (!outdated && !isLockTimeout(error)) throw error;
    world.log.debug({ chainId: group.chainId, ref: group.ref }, 'Facts changed while they were applied; next turn.');
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
