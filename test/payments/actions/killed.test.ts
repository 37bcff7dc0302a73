/** Capture, refund and settle, by processes that die at each of their steps and are started again. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openSecretKeys } from '../../../src/auth/tokens/secret-keys.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { settlePayments } from '../../../src/payments/actions/settle-payments.ts';
import { idempotencyRequest } from '../../../src/platform/idempotency/idempotency-request.ts';
import { runUntilCrash } from '../../setup/gateway/crashing.ts';
import { crashingGateway } from '../../setup/gateway/crashing-gateway.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
});

type World = Gateway['action'];
type Crashes = { verb: boolean; pump: boolean; projector: boolean };

type Money = Awaited<ReturnType<Gateway['gained']>>;
type Ask = (world: World) => Promise<unknown>;

/** Who crashed, and what payer, merchant, fee recipient and escrow have more or less afterwards. */
async function withCrashes(crashesAt: number, verb: Ask, again: Ask): Promise<{ crashed: Crashes; money: Money }> {
  const crashed = { verb: false, pump: false, projector: false };
  const money = await gateway.gained(async () => Object.assign(crashed, await killed(crashesAt, verb, again)));
  return { crashed, money };
}

/**
 * The verb, the pump and the projector, each killed at its `crashesAt`th step. `again` is what asks the verb anew; then
 * everything that is due happens without a crash.
 */
async function killed(crashesAt: number, verb: Ask, again: Ask): Promise<Crashes> {
  const asked = await runUntilCrash(crashesAt, (crash) => verb(crashingGateway(gateway, crash).world));
  if (asked.crashed) await again(gateway.action);
  const sent = await runUntilCrash(crashesAt, async (crash) => {
    const { pump } = crashingGateway(gateway, crash);
    for (let turn = 0; turn < 3; turn += 1) await pump();
  });
  const seen = await runUntilCrash(crashesAt, (crash) => crashingGateway(gateway, crash).observe());
  await gateway.settleDown();
  return { verb: asked.crashed, pump: sent.crashed, projector: seen.crashed };
}

/**
 * Crashes at step 1, 2, 3 and so on, until nothing crashes any more. Once the verb succeeds, `stride` steps at a time: pump and
 * projector run the same code whatever they send and see. Answers how many steps there were.
 */
async function atEveryStep(stride: number, once: (crashesAt: number) => Promise<Crashes>): Promise<number> {
  for (let crashesAt = 1; ; ) {
    const crashed = await once(crashesAt);
    if (!crashed.verb && !crashed.pump && !crashed.projector) return crashesAt;
    crashesAt += crashed.verb ? 1 : stride;
  }
}

/** A caller that asks again after a crash does so with the same key. */
function keyed(key: string) {
  return idempotencyRequest({
    scopeId: gateway.app.id,
    operation: 'test',
    parameters: { key },
    sealedUnder: openSecretKeys({}).answers,
    headerKey: key,
  });
}

const limit = { timeout: 300_000 };

describe('a gateway that is killed', () => {
  it('refunds once, whichever step it is killed at', limit, async () => {
    const { id, signed } = await gateway.pay();
    const eventCount = (await gateway.events(id)).length;
    let refunds = 0n;
    const steps = await atEveryStep(1, async (crashesAt) => {
      const request = { scope: gateway.scope, id, reason: 'Killed', amount: '1000' };
      const refund = (world: World) =>
        refundPaymentIntent(world, { ...request, idempotency: keyed(`refund ${crashesAt}`) });
      const { crashed, money } = await withCrashes(crashesAt, refund, refund);
      refunds += 1n;
      expect({ crashesAt, ...money }).toEqual({ crashesAt, payer: 1000n, merchant: 0n, fee: 0n, escrow: -1000n });
      expect(await gateway.remainingAmount(id, signed)).toBe(10_000_000n - refunds * 1000n);
      return crashed;
    });
    expect(steps).toBeGreaterThan(30);
    const events = (await gateway.events(id)).slice(eventCount);
    expect(events).toEqual(
      Array.from({ length: Number(refunds) }, () => ['refund_pending', 'partially_refunded']).flat(),
    );
    expect(await gateway.database.refund.count({ where: { paymentIntentId: id, status: 'CONFIRMED' } })).toBe(
      Number(refunds),
    );
  });

  it('captures once, whichever step it is killed at', limit, async () => {
    const steps = await atEveryStep(3, async (crashesAt) => {
      const { id, signed } = await gateway.pay({ captureOnAuthorize: false });
      const request = { scope: gateway.scope, id, amount: '4000000' };
      const capture = (world: World) =>
        capturePaymentIntent(world, { ...request, idempotency: keyed(`capture ${crashesAt}`) });
      const { crashed, money } = await withCrashes(crashesAt, capture, capture);
      expect({ crashesAt, ...money }).toEqual({
        crashesAt,
        payer: 6_000_000n,
        merchant: 0n,
        fee: 0n,
        escrow: -6_000_000n,
      });
      expect(await gateway.remainingAmount(id, signed)).toBe(4_000_000n);
      expect(await gateway.read(id)).toMatchObject({ status: 'CAPTURED', captureAttempts: 1 });
      expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
      expect(await gateway.events(id)).toEqual(['authorized', 'captured']);
      return crashed;
    });
    expect(steps).toBeGreaterThan(30);
  });

  it('settles once, whichever step it is killed at', limit, async () => {
    // What the test before left captured is settled first.
    await gateway.passTime(110);
    await gateway.settleDown();
    const steps = await atEveryStep(3, async (crashesAt) => {
      const { id, signed } = await gateway.pay();
      await gateway.passTime(110);
      const settle = (world: World) => settlePayments(world, { paymentIntentIds: [id] });
      // The job that scheduled it is still in the queue, as a crashed worker leaves it.
      const { crashed, money } = await withCrashes(crashesAt, settle, async () => undefined);
      const expected = { payer: 0n, merchant: 9_900_000n, fee: 100_000n, escrow: -10_000_000n };
      expect({ crashesAt, ...money }).toEqual({ crashesAt, ...expected });
      expect(await gateway.remainingAmount(id, signed)).toBe(0n);
      expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED', 'SETTLE CONFIRMED']);
      expect(await gateway.events(id)).toEqual(['authorized', 'captured', 'settled']);
      return crashed;
    });
    expect(steps).toBeGreaterThan(30);
  });
});
