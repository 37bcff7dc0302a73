/** Payments whose timelocks end at the same time, settled by one call of the verb on the real contract. */
import { beforeAll, expect, it } from 'vitest';
import { settleCall } from '../../../src/escrow/calldata.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { settlePayments } from '../../../src/payments/actions/settle-payments.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;
type Paid = Awaited<ReturnType<Gateway['pay']>>;
beforeAll(async () => {
  gateway = await openGateway({ senderKeys: 1 });
});

async function pay(count: number, fields: Parameters<Gateway['pay']>[0] = {}): Promise<Paid[]> {
  const paid: Paid[] = [];
  for (let index = 0; index < count; index += 1) paid.push(await gateway.pay(fields));
  return paid;
}

const settle = (paid: readonly { id: string }[]) =>
  settlePayments(gateway.action, { paymentIntentIds: paid.map(({ id }) => id) });
const settlements = async ({ id }: { id: string }) =>
  (await gateway.steps(id)).filter((step) => step.startsWith('SETTLE'));
const jobOf = async ({ id }: { id: string }) => {
  const [row] = await gateway.database.$queryRaw<{ runAt: Date }[]>`
    SELECT run_at AS "runAt" FROM graphile_worker.jobs WHERE key = ${`settle:${id}`}`;
  return row?.runAt;
};

it('requests one settlement each, whatever was called before or is called at the same time', async () => {
  const paid = await pay(4);
  await gateway.passTime(120);
  const money = await gateway.gained(async () => {
    await Promise.all([settle(paid), settle(paid.toReversed()), settle(paid.slice(1))]);
    for (const one of paid) expect(await settlements(one)).toEqual(['SETTLE PENDING']);
    await gateway.settleDown();
    await settle(paid);
  });
  expect(money).toMatchObject({ merchant: 39_600_000n, fee: 400_000n, escrow: -40_000_000n });
  for (const one of paid) {
    expect(await gateway.status(one.id)).toBe('SETTLED');
    expect(await settlements(one)).toEqual(['SETTLE CONFIRMED']);
  }
});

it('leaves out those that must not be settled, and settles the others', async () => {
  const [young] = await pay(1, { timelock: 10_000 });
  const [refunding, taken, due, other] = await pay(4);
  if (!young || !refunding || !taken || !due || !other) throw new Error('There are too few.');
  await gateway.passTime(120);
  const request = { scope: gateway.scope, id: refunding.id, reason: 'Returned' };
  await refundPaymentIntent(gateway.action, request);
  // Somebody has settled it, and the projector has not seen that.
  const { evm } = gateway;
  await gateway.send(evm.payers[0], settleCall({ escrow: evm.escrow, terms: taken.signed.terms }));
  await settle([young, refunding, taken, due, other, { id: '019a0000-0000-7000-8000-000000000000' }]);
  expect(await Promise.all([young, refunding, taken].map(settlements))).toEqual([[], [], []]);
  expect(await Promise.all([due, other].map(settlements))).toEqual([['SETTLE PENDING'], ['SETTLE PENDING']]);
  expect(await jobOf(young)).toBeInstanceOf(Date);
  await gateway.settleDown();
  const all = await Promise.all([young, refunding, taken, due, other].map(({ id }) => gateway.status(id)));
  expect(all).toEqual(['CAPTURED', 'REFUNDED', 'SETTLED', 'SETTLED', 'SETTLED']);
});

it('settles those on other chains where one chain cannot be read, and fails for that chain', async () => {
  const [lost, due] = await pay(2);
  if (!lost || !due) throw new Error('There are too few.');
  await gateway.passTime(120);
  const { paymentIntent } = gateway.database;
  const set = (authorizationChainId: number) =>
    paymentIntent.update({ where: { id: lost.id }, data: { authorizationChainId } });
  await set(999_999);
  await expect(settle([lost, due])).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  expect(await settlements(lost)).toEqual([]);
  expect(await settlements(due)).toEqual(['SETTLE PENDING']);
  await set(gateway.evm.chainId);
  await gateway.settleDown();
  expect(await gateway.status(due.id)).toBe('SETTLED');
});
