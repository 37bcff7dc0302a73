/** A projector that dies at any of its steps, and one that never did, come to the same state. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../../src/chains/evm/nodes.ts';
import { refundCall } from '../../src/escrow/calldata.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { type Ground, openGround, projectorWorld, returningHooks } from './ground.ts';

/** Counts what is asked of database and node, and fails at the `failAt`th. */
type Fuse = { asked: number; failAt: number };

class Blown extends Error {}

function isBlown(fuse: Fuse): boolean {
  fuse.asked += 1;
  return fuse.asked === fuse.failAt;
}

function blown(fuse: Fuse): Promise<never> {
  return Promise.reject(new Blown(`Killed at step ${fuse.failAt}.`));
}

/** Every call of a method, in a transaction too, is a step. */
function fused<Target extends object>(target: Target, fuse: Fuse): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (typeof value === 'function') {
        return (...args: unknown[]) => {
          if (isBlown(fuse)) return blown(fuse);
          const [work, ...rest] = args;
          const wrapped =
            name === '$transaction' && typeof work === 'function'
              ? [(tx: object) => work(fused(tx, fuse)), ...rest]
              : args;
          return Reflect.apply(value, inner, wrapped);
        };
      }
      return typeof value === 'object' && value !== null && typeof name === 'string' && !name.startsWith('_')
        ? fused(value, fuse)
        : value;
    },
  });
}

function fusedNodes(nodes: EvmNodes, fuse: Fuse): EvmNodes {
  return {
    client: (chainId) => nodes.client(chainId),
    asking: async (chainId, work) => {
      if (isBlown(fuse)) return await blown(fuse);
      return await nodes.asking(chainId, work);
    },
  };
}

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
  await ground.observe();
});

/** One turn that dies at the given step; answers how many steps it took. */
async function turn(failAt: number): Promise<{ steps: number; died: boolean }> {
  const fuse: Fuse = { asked: 0, failAt };
  const database: Database = fused(ground.database, fuse);
  const nodes = fusedNodes(ground.nodes, fuse);
  const world = projectorWorld({ ...ground, database, nodes }, returningHooks(ground.evm));
  try {
    await observeChain({ ...world, memory: newProjectorMemory() }, { chainId: ground.evm.chainId });
    return { steps: fuse.asked, died: false };
  } catch (error) {
    if (!(error instanceof Blown)) throw error;
    return { steps: fuse.asked, died: true };
  }
}

async function pay() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  return { intent, signed };
}

describe('a projector that is killed', () => {
  it('applies a payment once, whatever step it dies at', async () => {
    let failAt = 1;
    for (let done = false; !done; failAt += 1) {
      const { intent, signed } = await pay();
      const { died } = await turn(failAt);
      done = !died;
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${failAt}`).toEqual(['authorized', 'captured']);
      expect(await ground.held(signed.id)).toBe(10_000_000n);
      const rows = await ground.database.transaction.count({ where: { paymentIntentId: intent.id } });
      expect([(await ground.read(intent.id)).status, rows]).toEqual(['CAPTURED', 2]);
    }
    expect(failAt).toBeGreaterThan(25);
  });

  it('takes a payment back once, and refunds once, whatever step it dies at', async () => {
    const { escrow, merchant } = ground.evm;
    for (let failAt = 12; failAt < 60; failAt += 4) {
      const { intent, signed } = await pay();
      await ground.observe();
      await ground.send(merchant, refundCall({ escrow, ...signed, amount: 1_000_000n, expectedLeft: 10_000_000n }));
      await turn(failAt);
      await ground.observe();
      await ground.evm.reorg(1);
      await turn(failAt);
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${failAt}`).toEqual([
        'authorized',
        'captured',
        'partially_refunded',
        'reverted',
      ]);
      expect(await ground.held(signed.id)).toBe(10_000_000n);
      expect((await ground.read(intent.id)).leftAmount?.toFixed()).toBe('10000000');
    }
  });
});
