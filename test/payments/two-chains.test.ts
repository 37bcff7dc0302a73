/** The contract gives the same terms the same id on every chain: the gateway keeps them apart by chain and id together. */
import { beforeAll, expect, it } from 'vitest';
import { refundCall } from '../../src/escrow/calldata.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { type Ground, openGround, type Signed } from './ground.ts';

let first: Ground;
let second: Ground;

beforeAll(async () => {
  first = await openGround();
  second = await openGround({ chainId: 31338, database: first });
});

const refundAll = (ground: Ground, { terms }: Signed) =>
  ground.send(
    ground.evm.operator,
    refundCall({ escrow: ground.evm.escrow, terms, amount: terms.amount, expectedLeft: terms.amount }),
  );

async function observeBoth(): Promise<void> {
  await first.observe();
  await second.observe();
}

const verified = async (ground: Ground, intentId: string) =>
  (await verifyPayment({ ...ground, logs: ground.source }, { intentId })).verdict;

it('the same terms on two chains are two payments', async () => {
  const [here, there] = [await first.intent(), await second.intent()];
  const signed = await first.sign(here);
  const same = await second.sign(there, signed.terms);
  expect(same.id).toBe(signed.id);
  expect(same.operatorSignature).not.toBe(signed.operatorSignature);

  await first.authorize(signed);
  await observeBoth();
  expect(await first.read(here.id)).toMatchObject({ status: 'CAPTURED', authorizationChainId: 31337 });
  expect(await first.read(there.id)).toEqual(there);

  await second.authorize(same);
  await observeBoth();
  expect(await first.read(there.id)).toMatchObject({
    status: 'CAPTURED',
    authorizationChainId: 31338,
    acceptedTermsHash: signed.id,
  });
  expect([await first.held(signed.id), await second.held(same.id)]).toEqual([10_000_000n, 10_000_000n]);

  const before = await first.read(here.id);
  await refundAll(second, same);
  await observeBoth();
  expect((await first.read(there.id)).status).toBe('REFUNDED');
  expect(await first.read(here.id)).toEqual(before);
  expect([await first.held(signed.id), await second.held(same.id)]).toEqual([10_000_000n, 0n]);
  const steps = await first.database.transaction.findMany({
    where: { termsHash: signed.id },
    orderBy: { id: 'asc' },
    select: { paymentIntentId: true, chainId: true, type: true },
  });
  expect(steps).toEqual([
    { paymentIntentId: here.id, chainId: 31337, type: 'AUTHORIZE' },
    { paymentIntentId: here.id, chainId: 31337, type: 'CAPTURE' },
    { paymentIntentId: there.id, chainId: 31338, type: 'AUTHORIZE' },
    { paymentIntentId: there.id, chainId: 31338, type: 'CAPTURE' },
    { paymentIntentId: there.id, chainId: 31338, type: 'REFUND' },
  ]);
  expect(await verified(first, here.id)).toBe('MATCH');
  expect(await verified(second, there.id)).toBe('MATCH');
});

it("a payment of another chain with this one's id changes nothing here", async () => {
  const intent = await first.intent();
  const signed = await first.sign(intent);
  await first.authorize(signed);
  await observeBoth();
  const before = await first.read(intent.id);
  const eventsBefore = await first.events(intent.id);
  // The contract over there takes these terms, though this gateway never signed them for that chain.
  const foreign = await second.sign(intent, signed.terms);
  await second.database.paymentTerms.deleteMany({ where: { chainId: 31338, termsHash: foreign.id } });
  await second.authorize(foreign);
  await refundAll(second, foreign);
  await observeBoth();
  const logs = await second.database.chainFact.count({ where: { chainId: 31338, ref: signed.id } });
  expect(logs).toBe(3);
  expect(await first.read(intent.id)).toEqual(before);
  expect(await first.events(intent.id)).toEqual(eventsBefore);
  expect(await first.held(signed.id)).toBe(10_000_000n);
  expect(await first.database.transaction.count({ where: { paymentIntentId: intent.id, chainId: 31338 } })).toBe(0);
});

it('an intent that is paid on both chains by the same terms accepts one of them and returns the other', async () => {
  const intent = await first.intent();
  const signed = await first.sign(intent);
  const same = await second.sign(intent, signed.terms);
  await first.authorize(signed);
  await first.observe();
  await second.authorize(same);
  await second.observe();
  expect(await first.read(intent.id)).toMatchObject({ status: 'CAPTURED', authorizationChainId: 31337 });
  expect(await first.events(intent.id)).toEqual(['authorized', 'captured', 'overpaid']);
  const returned = await first.database.outgoingTransaction.findMany({
    where: { purpose: { startsWith: `return:${signed.id}` } },
    select: { chainId: true },
  });
  expect(returned).toEqual([{ chainId: 31338 }]);
});
