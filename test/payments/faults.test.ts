/** A projector that dies at any of its steps, and one that never did, come to the same state. */
import { beforeAll, describe, expect, it } from 'vitest';
import { refundCall } from '../../src/escrow/calldata.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { live, mortal, mortalNodes } from '../setup/mortal.ts';
import { type Ground, openGround, projectorWorld, returningHooks } from './ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
  await ground.observe();
});

/** One turn that dies at the given step; answers how many steps it took. */
async function turn(diesAt: number): Promise<{ steps: number; died: boolean }> {
  return await live(diesAt, async (life) => {
    const database = mortal(ground.database, life);
    const nodes = mortalNodes(ground.nodes, life);
    const world = projectorWorld({ ...ground, database, nodes }, returningHooks(ground.evm));
    await observeChain({ ...world, memory: newProjectorMemory() }, { chainId: ground.evm.chainId });
  });
}

async function pay() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  return { intent, signed };
}

// Each is some thirty lives, on a machine that may do other things besides.
describe('a projector that is killed', { timeout: 300_000 }, () => {
  it('applies a payment once, whatever step it dies at', async () => {
    let diesAt = 1;
    for (let done = false; !done; diesAt += 1) {
      const { intent, signed } = await pay();
      const { died } = await turn(diesAt);
      done = !died;
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${diesAt}`).toEqual(['authorized', 'captured']);
      expect(await ground.held(signed.id)).toBe(10_000_000n);
      const rows = await ground.database.transaction.count({ where: { paymentIntentId: intent.id } });
      expect([(await ground.read(intent.id)).status, rows]).toEqual(['CAPTURED', 2]);
    }
    expect(diesAt).toBeGreaterThan(25);
  });

  it('takes a payment back once, and refunds once, whatever step it dies at', async () => {
    const { escrow, merchant } = ground.evm;
    for (let diesAt = 12; diesAt < 60; diesAt += 4) {
      const { intent, signed } = await pay();
      await ground.observe();
      await ground.send(merchant, refundCall({ escrow, ...signed, amount: 1_000_000n, expectedLeft: 10_000_000n }));
      await turn(diesAt);
      await ground.observe();
      await ground.evm.reorg(1);
      await turn(diesAt);
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${diesAt}`).toEqual([
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
