/**
 * A process that dies: whatever it asks of database, node or key is a step, and from a given step on nothing that it
 * asks is done any more. What it had committed or sent stays, an open transaction is rolled back: as after `kill -9`.
 */
import type { EvmNodes } from '../../../src/chains/evm/nodes.ts';

export type Life = {
  /** Steps so far. */
  lived: number;
  /** The step that is not done, nor any after it. */
  diesAt: number;
};

export class Died extends Error {}

/** Runs `work` with a life of its own; answers how long it lived and whether it died. Other errors are thrown. */
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

/** Every call of a method is a step, in a transaction too; so is the moment after a transaction's commit. */
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

/** Nodes whose every request is a step. */
export function mortalNodes(nodes: EvmNodes, life: Life): EvmNodes {
  return {
    client: (chainId) => mortal(nodes.client(chainId), life),
    asking: (chainId, work) => nodes.asking(chainId, (client) => work(mortal(client, life))),
    askingOneWith: (chainId, block, work) =>
      nodes.askingOneWith(chainId, block, (client) => work(mortal(client, life))),
  };
}

/** Of a transaction: what is done inside it are steps too. */
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
