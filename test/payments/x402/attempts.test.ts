/** Attempts of resource servers: who learns of a payment's success as if for the first time. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openGateway } from '../../setup/gateway/gateway.ts';
import { openX402Ground, type X402Ground } from './x402-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

let ground: X402Ground;
let payer: { address: `0x${string}`; privateKey: `0x${string}` };

beforeAll(async () => {
  const gateway = await openGateway();
  ground = await openX402Ground(gateway);
  payer = gateway.evm.payers[0];
});

const first = { attemptId: 'attempt-one-of-the-server' };
const second = { attemptId: 'attempt-two-of-the-server' };
const used = { exact: 'invalid_exact_evm_nonce_already_used', escrow: 'authorization_used' };

describe.each(['exact', 'escrow'] as const)('a payment by %s', (scheme) => {
  it('is reported as new to the first attempt only, including its repeated requests', async () => {
    const body = await ground.pay(payer, await ground.offer(scheme));
    expect(await ground.verify({ ...body, ...first })).toMatchObject({ isValid: true });
    const outcome = await ground.settleAtWork({ ...body, ...first });
    expect(outcome).toMatchObject({ success: true, replayed: false });
    expect(await ground.settle({ ...body, ...second })).toEqual({ ...outcome, replayed: true });
    expect(await ground.settle(body)).toEqual({ ...outcome, replayed: true });
    expect(await ground.settle({ ...body, ...first })).toEqual(outcome);
    const refused = { isValid: false, invalidReason: used[scheme] };
    expect(await ground.verify({ ...body, ...first })).toMatchObject({ isValid: true });
    expect(await ground.verify({ ...body, ...second })).toMatchObject(refused);
    expect(await ground.verify(body)).toMatchObject(refused);
  });

  it('is reported as new once if no attempts are given', async () => {
    const body = await ground.pay(payer, await ground.offer(scheme));
    const outcome = await ground.settleAtWork(body);
    expect(outcome).toMatchObject({ success: true, replayed: false });
    expect(await ground.settle(body)).toMatchObject({ replayed: true });
    expect(await ground.settle({ ...body, ...first })).toMatchObject({ replayed: true });
  });

  it('is reported as new to one of several concurrent attempts', async () => {
    const body = await ground.pay(payer, await ground.offer(scheme));
    const attempt = (number: number) => ({ ...body, attemptId: `attempt-of-process-${number}` });
    const outcomes = await ground.settleTogether([attempt(1), attempt(2), attempt(3), attempt(4)]);
    expect(outcomes.map(({ success }) => success)).toEqual([true, true, true, true]);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('is verified as used even if its client sends a payment-identifier', async () => {
    const body = (await ground.pay(payer, await ground.offer(scheme))) as { paymentPayload: object };
    const extensions = {
      'payment-identifier': { info: { required: false, id: 'pay_7d5d747be160e280504c099d984bcfe0' } },
    };
    const named = { ...body, paymentPayload: { ...body.paymentPayload, extensions } };
    expect(await ground.verify(named)).toMatchObject({ isValid: true });
    expect(await ground.settleAtWork(named)).toMatchObject({ success: true, replayed: false });
    expect(await ground.verify(named)).toMatchObject({ isValid: false, invalidReason: used[scheme] });
    expect(await ground.settle(named)).toMatchObject({ success: true, replayed: true });
  });

  it('is reported only to the client that received the 402 response', async () => {
    const offer = await ground.offer(scheme);
    const own = { ...offer, extra: { ...offer.extra, requestId: 'request-of-the-payer' } };
    const thiefs = { ...offer, extra: { ...offer.extra, requestId: 'request-of-the-thief' } };
    const body = (await ground.pay(payer, own)) as { paymentPayload: object };
    const stolen = {
      ...body,
      paymentPayload: { ...body.paymentPayload, accepted: thiefs },
      paymentRequirements: thiefs,
    };
    const without = {
      ...body,
      paymentPayload: { ...body.paymentPayload, accepted: offer },
      paymentRequirements: offer,
    };
    const outcome = await ground.settleAtWork(body);
    for (const other of [stolen, without]) {
      expect(await ground.verify(other)).toMatchObject({ isValid: false, invalidReason: used[scheme] });
      expect(await ground.settle(other)).toMatchObject({ success: false, errorReason: used[scheme] });
    }
    expect(outcome).toMatchObject({ success: true, replayed: false });
  });

  it('is rejected if its requestId or attemptId is malformed', async () => {
    const offer = await ground.offer(scheme);
    const odd = { ...offer, extra: { ...offer.extra, requestId: 'short' } };
    const body = await ground.pay(payer, odd);
    expect(await ground.verify(body)).toMatchObject({ isValid: false, invalidReason: 'invalid_quote' });
    await expect(ground.settle({ ...body, attemptId: 'short' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ param: 'attemptId' }],
    });
  });
});
