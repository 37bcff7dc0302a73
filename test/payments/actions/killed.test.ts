/** Capture, refund and settle, by processes that die at each of their steps and are started again. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openSecretKeys } from '../../../src/auth/tokens/secret-keys.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { settlePayments } from '../../../src/payments/actions/settle-payments.ts';
import { idempotencyRequest } from '../../../src/platform/idempotency/idempotency-request.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { live } from '../../setup/gateway/mortal.ts';
import { mortalGateway } from '../../setup/gateway/mortal-gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
});

type World = Gateway['action'];
type Deaths = { verb: boolean; pump: boolean; projector: boolean };

type Money = Awaited<ReturnType<Gateway['gained']>>;
type Ask = (world: World) => Promise<unknown>;

/** Who died, and what payer, merchant, fee recipient and escrow have more or less afterwards. */
async function underFire(diesAt: number, verb: Ask, again: Ask): Promise<{ died: Deaths; money: Money }> {
  const died = { verb: false, pump: false, projector: false };
  const money = await gateway.gained(async () => Object.assign(died, await killed(diesAt, verb, again)));
  return { died, money };
}

/**
 * The verb, the pump and the projector, each killed at its `diesAt`th step. `again` is what asks the verb anew; then
 * everything that is due happens without a crash.
 */
async function killed(diesAt: number, verb: Ask, again: Ask): Promise<Deaths> {
  const asked = await live(diesAt, (life) => verb(mortalGateway(gateway, life).world));
  if (asked.died) await again(gateway.action);
  const sent = await live(diesAt, async (life) => {
    const { pump } = mortalGateway(gateway, life);
    for (let turn = 0; turn < 3; turn += 1) await pump();
  });
  const seen = await live(diesAt, (life) => mortalGateway(gateway, life).observe());
  await gateway.settleDown();
  return { verb: asked.died, pump: sent.died, projector: seen.died };
}

/**
 * Deaths at step 1, 2, 3 and so on, until nothing dies any more. Once the verb lives, `stride` steps at a time: pump and
 * projector run the same code whatever they send and see. Answers how many steps there were.
 */
async function atEveryStep(stride: number, once: (diesAt: number) => Promise<Deaths>): Promise<number> {
  for (let diesAt = 1; ; ) {
    const died = await once(diesAt);
    if (!died.verb && !died.pump && !died.projector) return diesAt;
    diesAt += died.verb ? 1 : stride;
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
    const steps = await atEveryStep(1, async (diesAt) => {
      const request = { scope: gateway.scope, id, reason: 'Killed', amount: '1000' };
      const refund = (world: World) =>
        refundPaymentIntent(world, { ...request, idempotency: keyed(`refund ${diesAt}`) });
      const { died, money } = await underFire(diesAt, refund, refund);
      refunds += 1n;
      expect({ diesAt, ...money }).toEqual({ diesAt, payer: 1000n, merchant: 0n, fee: 0n, escrow: -1000n });
      expect(await gateway.remainingAmount(id, signed)).toBe(10_000_000n - refunds * 1000n);
      return died;
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
    const steps = await atEveryStep(3, async (diesAt) => {
      const { id, signed } = await gateway.pay({ captureOnAuthorize: false });
      const request = { scope: gateway.scope, id, amount: '4000000' };
      const capture = (world: World) =>
        capturePaymentIntent(world, { ...request, idempotency: keyed(`capture ${diesAt}`) });
      const { died, money } = await underFire(diesAt, capture, capture);
      expect({ diesAt, ...money }).toEqual({ diesAt, payer: 6_000_000n, merchant: 0n, fee: 0n, escrow: -6_000_000n });
      expect(await gateway.remainingAmount(id, signed)).toBe(4_000_000n);
      expect(await gateway.read(id)).toMatchObject({ status: 'CAPTURED', captureAttempts: 1 });
      expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
      expect(await gateway.events(id)).toEqual(['authorized', 'captured']);
      return died;
    });
    expect(steps).toBeGreaterThan(30);
  });

  it('settles once, whichever step it is killed at', limit, async () => {
    // What the test before left captured is settled first.
    await gateway.passTime(110);
    await gateway.settleDown();
    const steps = await atEveryStep(3, async (diesAt) => {
      const { id, signed } = await gateway.pay();
      await gateway.passTime(110);
      const settle = (world: World) => settlePayments(world, { paymentIntentIds: [id] });
      // The job that rang it is still in the queue, as a dead worker leaves it.
      const { died, money } = await underFire(diesAt, settle, async () => undefined);
      const expected = { payer: 0n, merchant: 9_900_000n, fee: 100_000n, escrow: -10_000_000n };
      expect({ diesAt, ...money }).toEqual({ diesAt, ...expected });
      expect(await gateway.remainingAmount(id, signed)).toBe(0n);
      expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED', 'SETTLE CONFIRMED']);
      expect(await gateway.events(id)).toEqual(['authorized', 'captured', 'settled']);
      return died;
    });
    expect(steps).toBeGreaterThan(30);
  });
});
