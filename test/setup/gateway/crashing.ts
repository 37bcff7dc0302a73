/**
 * A process that crashes: whatever it asks of database, node or key is a step, and from a given step on nothing that it
 * asks is done any more. What it had committed or sent stays, an open transaction is rolled back: as after `kill -9`.
 */
import type { EvmNodes } from '../../../src/chains/evm/nodes.ts';

export type Crash = {
  /** Steps so far. */
  steps: number;
  /** The step that is not done, nor any after it. */
  crashesAt: number;
};

export class CrashedError extends Error {}

/** Runs `work` until its crash, if any. Returns the number of steps, and whether it crashed. Other errors are thrown. */
export async function runUntilCrash(
  crashesAt: number,
  work: (crash: Crash) => Promise<unknown>,
): Promise<{ steps: number; crashed: boolean }> {
  const crash: Crash = { steps: 0, crashesAt };
  try {
    await work(crash);
  } catch (error) {
    if (!hasCrashed(crash)) throw error;
  }
  return { steps: crash.steps, crashed: hasCrashed(crash) };
}

/** Every call of a method is a step, in a transaction too; so is the moment after a transaction's commit. */
export function crashing<Target extends object>(target: Target, crash: Crash): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (typeof value === 'function') {
        return (...args: unknown[]) => {
          if (isPastCrash(crash)) return rejectCrashed(crash);
          if (name !== '$transaction') return Reflect.apply(value, inner, args);
          const committed: Promise<unknown> = Reflect.apply(value, inner, withCrashingWork(args, crash));
          return committed.then((answer) => (isPastCrash(crash) ? rejectCrashed(crash) : answer));
        };
      }
      return typeof value === 'object' && value !== null && typeof name === 'string' && !name.startsWith('_')
        ? crashing(value, crash)
        : value;
    },
  });
}

/** Nodes whose every request is a step. */
export function crashingNodes(nodes: EvmNodes, crash: Crash): EvmNodes {
  return {
    client: (chainId) => crashing(nodes.client(chainId), crash),
    asking: (chainId, work) => nodes.asking(chainId, (client) => work(crashing(client, crash))),
    askingOneWith: (chainId, block, work) =>
      nodes.askingOneWith(chainId, block, (client) => work(crashing(client, crash))),
  };
}

/** Of a transaction: what is done inside it are steps too. */
function withCrashingWork([work, ...rest]: unknown[], crash: Crash): unknown[] {
  return [typeof work === 'function' ? (tx: object) => work(crashing(tx, crash)) : work, ...rest];
}

function isPastCrash(crash: Crash): boolean {
  crash.steps += 1;
  return hasCrashed(crash);
}

function hasCrashed(crash: Crash): boolean {
  return crash.steps >= crash.crashesAt;
}

function rejectCrashed(crash: Crash): Promise<never> {
  return Promise.reject(new CrashedError(`Killed at step ${crash.crashesAt}.`));
}
