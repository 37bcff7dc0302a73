/** What the gas of a payment's transactions cost us, from the verb to the row. */
import { isHex } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { authorizeWithAllowanceCall, refundCall } from '../../../src/escrow/calldata.ts';
import { termsTypedData } from '../../../src/escrow/terms.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { requestAuthorization } from '../../../src/payments/transactions/request-authorization.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway({ finalityBlocks: 40 });
});

const refund = (id: string) =>
  refundPaymentIntent(gateway.action, { scope: gateway.scope, id, amount: '1000000', reason: 'In part' });
const stepsOf = async (paymentIntentId: string) =>
  await gateway.database.transaction.findMany({ where: { paymentIntentId }, orderBy: { id: 'asc' } });
const refundOf = async (id: string) =>
  await gateway.database.transaction.findFirstOrThrow({ where: { paymentIntentId: id, type: 'REFUND' } });

/** In wei, as the receipt says. */
async function costOf({ txHash }: { txHash: string | null }): Promise<string> {
  if (!isHex(txHash)) throw new Error('It was not sent.');
  const { gasUsed, effectiveGasPrice } = await gateway.evm.publicClient.getTransactionReceipt({ hash: txHash });
  return String(gasUsed * effectiveGasPrice);
}

it('include transactions of our keys and exclude transactions of the payer', async () => {
  const { id } = await gateway.pay();
  await refund(id);
  await gateway.settleDown();
  const [authorize, capture, refunded] = await stepsOf(id);
  expect([authorize, capture]).toMatchObject([
    { type: 'AUTHORIZE', status: 'CONFIRMED', gasCostWei: null, gasCostUsd: null },
    { type: 'CAPTURE', status: 'CONFIRMED', gasCostWei: null, gasCostUsd: null },
  ]);
  if (!refunded) throw new Error('It was refunded.');
  expect(refunded.gasCostWei?.toFixed()).toBe(await costOf(refunded));
  expect(refunded.gasCostUsd?.toFixed()).toBe(refunded.gasCostWei?.times('2500e-18').toFixed());
});

it('are recorded once for an authorization that is captured immediately', async () => {
  const { evm } = gateway;
  const intent = await gateway.intent();
  const signed = await gateway.sign(intent);
  const { terms, operatorSignature } = signed;
  const typed = termsTypedData({ chainId: evm.chainId, escrow: evm.escrow, terms });
  const payerSignature = await evm.walletFor(evm.payers[0].privateKey).signTypedData(typed);
  await transaction(gateway.database, (tx) =>
    requestAuthorization(tx, {
      paymentIntentId: intent.id,
      chainId: evm.chainId,
      termsHash: signed.id,
      call: authorizeWithAllowanceCall({ escrow: evm.escrow, terms, operatorSignature, payerSignature }),
      amount: terms.amount,
      sender: evm.operator.address,
    }),
  );
  await gateway.settleDown();
  const [authorize, capture] = await stepsOf(intent.id);
  if (!authorize || !capture) throw new Error('It was captured.');
  expect([authorize.type, capture.type, authorize.txHash]).toEqual(['AUTHORIZE', 'CAPTURE', capture.txHash]);
  expect([authorize.gasCostWei?.toFixed(), capture.gasCostWei]).toEqual([await costOf(authorize), null]);
});

it('are recorded for a transaction that was already confirmed', async () => {
  const { id } = await gateway.pay();
  await refund(id);
  await gateway.turnPumps();
  await gateway.observe();
  expect(await refundOf(id)).toMatchObject({ status: 'CONFIRMED', gasCostWei: null });
  await gateway.settleDown();
  const refunded = await refundOf(id);
  expect(refunded.gasCostWei?.toFixed()).toBe(await costOf(refunded));
});

it('are recorded for a transaction that reverted', async () => {
  const { id, signed } = await gateway.pay();
  const { escrow, merchant, testClient } = gateway.evm;
  await refund(id);
  await testClient.setAutomine(false);
  await gateway.turnPumps();
  const { txHash } = await refundOf(id);
  await testClient.dropTransaction({ hash: isHex(txHash) ? txHash : '0x' });
  await testClient.setAutomine(true);
  await gateway.send(merchant, refundCall({ escrow, ...signed, amount: 2_000_000n, expectedLeft: 10_000_000n }));
  await gateway.passTime(2);
  await gateway.settleDown();
  const refunded = await refundOf(id);
  expect(refunded.status).toBe('FAILED');
  expect(refunded.gasCostWei?.toFixed()).toBe(await costOf(refunded));
  const found = (await stepsOf(id)).filter(({ type, status }) => type === 'REFUND' && status === 'CONFIRMED');
  expect(found).toMatchObject([{ gasCostWei: null }]);
});

it('have no value in USD if the coin has no price, without delaying anything', async () => {
  gateway.setPrices('ETH=0');
  const { id } = await gateway.pay();
  await refund(id);
  await gateway.settleDown();
  gateway.setPrices('');
  const refunded = await refundOf(id);
  expect(refunded).toMatchObject({ status: 'CONFIRMED', gasCostUsd: null });
  expect(refunded.gasCostWei?.toFixed()).toBe(await costOf(refunded));
});

it('are those of the latest block after a reorganization', async () => {
  const { id } = await gateway.pay();
  await refund(id);
  await gateway.settleDown();
  const before = await refundOf(id);
  await gateway.evm.reorg(1);
  await gateway.evm.testClient.setNextBlockBaseFeePerGas({ baseFeePerGas: 3_000_000n });
  await gateway.turnPumps();
  await gateway.settleDown();
  const after = await refundOf(id);
  expect(after.status).toBe('CONFIRMED');
  expect(after.blockHash).not.toBe(before.blockHash);
  expect(after.gasCostWei?.toFixed()).toBe(await costOf(after));
  expect(after.gasCostWei?.toFixed()).not.toBe(before.gasCostWei?.toFixed());
});
