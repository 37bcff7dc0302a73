/** A subscription's first charge and a renewal, by processes that are killed in between and restarted. */
import { describe, expect, it } from 'vitest';
import { hexOf } from '../../src/subscriptions/charge/prepare-charge.ts';
import { confirmConsent } from '../../src/subscriptions/consent/confirm-consent.ts';
import { renewSubscription } from '../../src/subscriptions/renewal/renew-subscription.ts';
import { runUntilCrash } from '../setup/gateway/crashing.ts';
import { crashingGateway } from '../setup/gateway/crashing-gateway.ts';
import type { Gateway } from '../setup/gateway/gateway.ts';
import { openRenewals } from './renewal-ground.ts';
import { openSubscriptionGround } from './subscription-ground.ts';

/** The number of steps between two kills: test/payments/actions kills pump and projector at every step. */
const STRIDE = 11;
const limit = { timeout: 300_000 };

type CrashingGateway = ReturnType<typeof crashingGateway>;

/** Kills the verb, the pump and the projector at their `crashesAt`th step each. Returns whether any was killed. */
async function withCrashes(
  gateway: Gateway,
  crashesAt: number,
  verb: (parts: CrashingGateway) => Promise<unknown>,
): Promise<boolean> {
  const pumpThrice = async ({ pump }: CrashingGateway) => {
    for (let turn = 0; turn < 3; turn += 1) await pump();
  };
  const stages = [verb, pumpThrice, ({ observe }: CrashingGateway) => observe()];
  let anyCrashed = false;
  for (const work of stages) {
    const { crashed } = await runUntilCrash(crashesAt, (crash) => work(crashingGateway(gateway, crash)));
    anyCrashed ||= crashed;
  }
  return anyCrashed;
}

/** `once` returns whether anything was killed at that step. Returns the approximate number of steps. */
async function atSteps(once: (crashesAt: number) => Promise<boolean>): Promise<number> {
  let crashesAt = 1;
  while (await once(crashesAt)) crashesAt += STRIDE;
  return crashesAt;
}

describe('a gateway whose processes are killed', () => {
  it('charges the first period once', limit, async () => {
    const ground = await openSubscriptionGround();
    const payer = await ground.freshPayer(1);
    const steps = await atSteps(async (crashesAt) => {
      const { id } = await ground.subscribe();
      const session = await ground.openSession(id);
      const signatures = await ground.doSteps(payer, (await ground.prepare(session.id, payer, 'PERMIT')).steps);
      const request = { scope: ground.scope, sessionId: session.id, input: { signatures } };
      let crashed = false;
      const moved = await ground.gained(async () => {
        crashed = await withCrashes(ground, crashesAt, ({ world }) =>
          confirmConsent({ ...world, config: ground.checkout.config }, request),
        );
        // A payer whose confirmation got no response sends it again.
        await confirmConsent(ground.checkout, request);
        await ground.come();
      });
      expect({ crashesAt, moved: moved.escrow }).toEqual({ crashesAt, moved: 12_000_000n });
      const subscription = await ground.readSubscription(id);
      expect(subscription).toMatchObject({ status: 'ACTIVE', consent: { lastChargedPeriod: 0 } });
      expect(subscription.invoices).toMatchObject([{ status: 'PAID', paymentIntentId: session.paymentIntentId }]);
      const intentId = session.paymentIntentId ?? '';
      expect(await ground.steps(intentId)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
      expect(await remainingOf(ground, intentId)).toBe(12_000_000n);
      expect(await ground.events(id)).toEqual(['subscription.activated']);
      return crashed;
    });
    expect(steps).toBeGreaterThan(20);
  });

  it('charges a renewal once', limit, async () => {
    const ground = await openRenewals();
    const steps = await atSteps(async (crashesAt) => {
      const { id, trialEnd } = await ground.subscribe({ trialSeconds: 3_600 });
      await ground.goTo(trialEnd, false);
      let crashed = false;
      const moved = await ground.gained(async () => {
        crashed = await withCrashes(ground, crashesAt, ({ world }) => renewSubscription(world, { subscriptionId: id }));
        // The job that started it is still in the queue, as after a worker was killed.
        await ground.settleDown();
      });
      expect({ crashesAt, moved: moved.payer }).toEqual({ crashesAt, moved: -10_000_000n });
      const subscription = await ground.database.subscription.findUniqueOrThrow({ where: { id } });
      expect(subscription).toMatchObject({ status: 'ACTIVE', currentPeriodStart: trialEnd });
      const invoices = await ground.invoices(id);
      expect(invoices).toMatchObject([{ status: 'PAID' }]);
      expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID', period: 0 }]);
      expect(await remainingOf(ground, invoices[0]?.paymentIntentId ?? '')).toBe(10_000_000n);
      expect(await ground.eventTypes(id)).toEqual(['renewed']);
      return crashed;
    });
    expect(steps).toBeGreaterThan(20);
  });
});

/** The remaining amount, on which the ledger, the contract and the payment intent agree. */
async function remainingOf(ground: Pick<Gateway, 'database' | 'remainingAmount'>, intentId: string): Promise<bigint> {
  const { acceptedTermsHash } = await ground.database.paymentIntent.findUniqueOrThrow({ where: { id: intentId } });
  return await ground.remainingAmount(intentId, { id: hexOf(acceptedTermsHash ?? '') });
}
