/**
 * Simulates the death of a process. Each request to the database, a node or a key is a step, and from a given step on, no request is
 * executed. As after `kill -9`, committed changes and sent transactions remain, and an open database transaction is rolled back.
 */
import type { EvmNodes } from '../../../src/chains/evm/nodes.ts';

export type Life = {
  /** The number of steps so far. */
  lived: number;
  /** The first step that is not executed. */
  diesAt: number;
};

export class Died extends Error {}

/** Runs `work` with a new life. Returns the number of steps that it lived, and whether it died. Rethrows other errors. */
export async function live(
  diesAt: number,
  work: (life: Life) => Promise<unknown>,
): Promise<{ steps: number; died: boolean }> {
  const life: Life = { lived: 0, diesAt };
  try {
    await work(life);
  } catch (error) {
    if (!isDead(life)) throw error;
  }
  return { steps: life.lived, died: isDead(life) };
}

/** Every method call is a step, also within a transaction. The moment after a transaction's commit is a step as well. */
export function mortal<Target extends object>(target: Target, life: Life): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (typeof value === 'function') {
        return (...args: unknown[]) => {
          if (isLast(life)) return dead(life);
          if (name !== '$transaction') return Reflect.apply(value, inner, args);
          const committed: Promise<unknown> = Reflect.apply(value, inner, withMortalWork(args, life));
          return committed.then((answer) => (isLast(life) ? dead(life) : answer));
        };
      }
      return typeof value === 'object' && value !== null && typeof name === 'string' && !name.startsWith('_')
        ? mortal(value, life)
        : value;
    },
  });
}

/** Nodes for which every request is a step. */
export function mortalNodes(nodes: EvmNodes, life: Life): EvmNodes {
  return {
    client: (chainId) => mortal(nodes.client(chainId), life),
    asking: (chainId, work) => nodes.asking(chainId, (client) => work(mortal(client, life))),
    askingOneWith: (chainId, block, work) =>
      nodes.askingOneWith(chainId, block, (client) => work(mortal(client, life))),
  };
}

/** Makes every call within a transaction a step. */
function withMortalWork([work, ...rest]: unknown[], life: Life): unknown[] {
  return [typeof work === 'function' ? (tx: object) => work(mortal(tx, life)) : work, ...rest];
}

function isLast(life: Life): boolean {
  life.lived += 1;
  return isDead(life);
}

function isDead(life: Life): boolean {
  return life.lived >= life.diesAt;
}

function dead(life: Life): Promise<never> {
  return Promise.reject(new Died(`Killed at step ${life.diesAt}.`));
}
