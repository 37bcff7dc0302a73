/**
 * Simulates the crash of a process. Each request to the database, a node or a key is a step, and from a given step on, no request is
 * executed. As after `kill -9`, committed changes and sent transactions remain, and an open database transaction is rolled back.
 */
import type { EvmNodes } from '../../../src/chains/evm/nodes.ts';

export type Crash = {
  /** The number of steps so far. */
  steps: number;
  /** The first step that is not executed. */
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

/** Every method call is a step, also within a transaction. The moment after a transaction's commit is a step as well. */
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

/** Nodes for which every request is a step. */
export function crashingNodes(nodes: EvmNodes, crash: Crash): EvmNodes {
  return {
    client: (chainId) => crashing(nodes.client(chainId), crash),
    asking: (chainId, work) => nodes.asking(chainId, (client) => work(crashing(client, crash))),
    askingOneWith: (chainId, block, work) =>
      nodes.askingOneWith(chainId, block, (client) => work(crashing(client, crash))),
  };
}

/** Makes every call within a transaction a step. */
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
