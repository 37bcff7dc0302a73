/** After any run of payments and reorganisations every intent, ledger and contract agree. */
import { describe, expect, it } from 'vitest';
import { verifyOpenPayments } from '../../src/payments/verification/verify-open-payments.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { openGateway } from '../setup/gateway.ts';
import { randomRun } from './random-run.ts';

/** Set by `npm run reorgs`. */
const steps = Number(process.env.RANDOM_STEPS ?? 40);
const least = Number(process.env.RANDOM_LEAST ?? 0);
const seed = Number(process.env.RANDOM_SEED ?? 20_261_122);

describe('a random run', () => {
  it(`of ${steps} steps with seed ${seed} leaves no drift`, {
    timeout: 240_000 + (steps + 8 * least) * 2_000,
  }, async () => {
    const gateway = await openGateway({ finalityBlocks: 40, senderKeys: 2 });
    const run = await randomRun(gateway, { seed, steps, deepest: 6, least });
    expect(run.reorganisations).toBeGreaterThan(0);
    expect(Math.min(run.reorganisations, run.payments.length)).toBeGreaterThanOrEqual(least);
    const world = { ...gateway.action, logs: gateway.source };
    for (const intentId of run.intents) {
      const { verdict, faults, payments } = await verifyPayment(world, { intentId });
      expect({ intentId, verdict, faults, payments: payments.flatMap((payment) => payment.faults) }).toEqual({
        intentId,
        verdict: 'MATCH',
        faults: [],
        payments: [],
      });
      // Nothing is under way any more, so that nothing may wait for it.
      expect(await gateway.status(intentId)).not.toBe('REFUND_PENDING');
    }
    for (const signed of run.payments)
      expect(await gateway.held(signed.id)).toBe((await gateway.state(signed.id)).left);
    const [chain] = await verifyOpenPayments(world);
    expect(chain?.drifts).toEqual([]);
    expect(chain?.tokens.every((token) => token.covered)).toBe(true);
    if (process.env.RANDOM_STEPS) {
      const told = { intents: run.intents.length, payments: run.payments.length, reorganisations: run.reorganisations };
      console.log(JSON.stringify({ seed, steps, ...told, takenBack: Object.fromEntries(run.takenBack) }));
    }
  });
});
