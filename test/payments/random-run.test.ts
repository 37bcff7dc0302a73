/** After any run of payments and reorganisations every intent, ledger and contract agree. */
import { describe, expect, it } from 'vitest';
import { verifyOpenPayments } from '../../src/payments/verification/verify-open-payments.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openGround } from './ground.ts';
import { randomRun } from './random-run.ts';

const steps = Number(process.env.RANDOM_STEPS ?? 25);
const seed = Number(process.env.RANDOM_SEED ?? 20_261_122);

describe('a random run', () => {
  it(`of ${steps} steps with seed ${seed} leaves no drift`, { timeout: 30_000 + steps * 2_000 }, async () => {
    const ground = await openGround({ finalityBlocks: 40 });
    const run = await randomRun(ground, { seed, steps, deepest: 6 });
    expect(run.reorganisations).toBeGreaterThan(0);
    const world = { ...ground, logs: ground.source, clock: systemClock };
    for (const intentId of run.intents) {
      const { verdict, faults, payments } = await verifyPayment(world, { intentId });
      expect({ intentId, verdict, faults, payments: payments.flatMap((payment) => payment.faults) }).toEqual({
        intentId,
        verdict: 'MATCH',
        faults: [],
        payments: [],
      });
    }
    for (const signed of run.payments) expect(await ground.held(signed.id)).toBe((await ground.state(signed.id)).left);
    const [chain] = await verifyOpenPayments(world);
    expect(chain?.drifts).toEqual([]);
    expect(chain?.tokens.every((token) => token.covered)).toBe(true);
  });
});
