/** Renewals by workers that are killed at each step and restarted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { followRenewalPayments } from '../../src/subscriptions/renewal/follow-renewal-payments.ts';
import { renewSubscriptions } from '../../src/subscriptions/renewal/renew-subscription.ts';
import { runUntilCrash } from '../setup/gateway/crashing.ts';
import { crashingGateway } from '../setup/gateway/crashing-gateway.ts';
import { openRenewals, type Renewals } from './renewal-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
  await ground.allow(ground.evm.payers[0]);
});

/** Each of the verb's steps would take minutes; these lie in every one of its transactions and reads. */
const STRIDE = 4;

/** Killed while it decides and sends, and again while it takes the payment over; then everything that is due happens. */
async function killed(crashesAt: number, ids: readonly string[]): Promise<boolean> {
  const sent = await runUntilCrash(crashesAt, (crash) => renewSubscriptions(crashingGateway(ground, crash).world, ids));
  if (sent.crashed) await renewSubscriptions(ground.action, ids);
  await ground.turnPumps();
  await ground.observe();
  const invoices = (await Promise.all(ids.map((id) => ground.invoices(id)))).flat();
  const paymentIntentIds = invoices.map((invoice) => invoice.paymentIntentId ?? '');
  const taken = await runUntilCrash(crashesAt, (crash) =>
    followRenewalPayments(crashingGateway(ground, crash).world, { paymentIntentIds }),
  );
  await ground.settleDown();
  return sent.crashed || taken.crashed;
}

describe('a renewal whose workers are killed', () => {
  it('is charged and reported once, as is another one due with it, at whatever step the workers die', {
    timeout: 300_000,
  }, async () => {
    let crashesAt = 1;
    for (let crashed = true; crashed; crashesAt += STRIDE) {
      const both = [await ground.subscribe({ trialSeconds: 60 }), await ground.subscribe({ trialSeconds: 60 })];
      const ids = both.map(({ id }) => id);
      await ground.goTo(new Date(Math.max(...both.map(({ trialEnd }) => trialEnd.getTime()))), false);
      const moved = await ground.gained(async () => {
        crashed = await killed(crashesAt, ids);
      });
      expect([crashesAt, moved.payer]).toEqual([crashesAt, -20_000_000n]);
      for (const id of ids) {
        expect(await ground.eventTypes(id)).toEqual(['renewed']);
        expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID', period: 0 }]);
        expect((await ground.invoices(id)).map((invoice) => invoice.status)).toEqual(['PAID']);
        const { pendingJobId, currentPeriodEnd } = await ground.subscriptionOf(id);
        expect(await ground.waitingJob(id)).toEqual({ id: pendingJobId, runAt: currentPeriodEnd });
      }
      await ground.forget();
    }
    expect(crashesAt).toBeGreaterThan(30);
  });
});
