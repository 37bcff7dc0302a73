/** Which key sends what, from the verb to the transaction on chain. */
import { type Hex, isHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { openPumps } from '../../../src/main/open-sending.ts';
import { enqueueTransaction } from '../../../src/operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../../src/operator/relay.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway({ senderKeys: 2 });
});

const request = (id: string) => ({ scope: gateway.scope, id });
const usedNonces = async (address: Hex) => await gateway.evm.publicClient.getTransactionCount({ address });

/** The sender on chain of each transaction of a payment that one of our keys sent, by type. */
async function sentBy(id: string): Promise<Record<string, string>> {
  const steps = await gateway.database.transaction.findMany({ where: { paymentIntentId: id } });
  const outgoing = await gateway.database.outgoingTransaction.findMany({
    where: { transactionId: { in: steps.map((step) => step.id) } },
  });
  const senders: Record<string, string> = {};
  for (const { transactionId, txHash } of outgoing) {
    const type = steps.find((step) => step.id === transactionId)?.type;
    if (!type || !isHex(txHash)) throw new Error('A transaction was not sent.');
    senders[type] = (await gateway.evm.publicClient.getTransaction({ hash: txHash })).from.toLowerCase();
  }
  return senders;
}

it('captures and refunds by the operator, and settles by a sender key', async () => {
  const [first] = gateway.action.senders;
  if (!first) throw new Error('There is a sender key.');
  const { id } = await gateway.pay({ captureOnAuthorize: false });
  const before = await usedNonces(gateway.evm.operator.address);
  await capturePaymentIntent(gateway.action, request(id));
  await gateway.settleDown();
  await refundPaymentIntent(gateway.action, { ...request(id), amount: '1000000', reason: 'In part' });
  await gateway.settleDown();
  expect(await usedNonces(gateway.evm.operator.address)).toBe(before + 2);
  await gateway.passTime(120);
  await gateway.settleDown();
  expect(await gateway.status(id)).toBe('SETTLED');
  const operator = gateway.evm.operator.address.toLowerCase();
  expect(await sentBy(id)).toEqual({ CAPTURE: operator, REFUND: operator, SETTLE: first.address.toLowerCase() });
  expect(await usedNonces(gateway.evm.operator.address)).toBe(before + 2);
});

it('settles by the operator when there are no sender keys', async () => {
  const { id } = await gateway.pay();
  await gateway.passTime(120);
  await gateway.runDueJobs();
  const pump = openPumps({ ...gateway.action, senders: [], locks: gateway.locks, limits: gateway.limits });
  await pump({ chainId: gateway.evm.chainId, sender: RELAY_SENDER });
  await gateway.settleDown();
  expect(await gateway.status(id)).toBe('SETTLED');
  expect(await sentBy(id)).toEqual({ SETTLE: gateway.evm.operator.address.toLowerCase() });
});

it('lets other keys take what a removed key had taken, after a minute', async () => {
  const sender = privateKeyToAddress(generatePrivateKey()).toLowerCase();
  const { chainId } = gateway.evm;
  const id = await transaction(gateway.database, (tx) =>
    enqueueTransaction(tx, {
      chainId,
      sender: RELAY_SENDER,
      to: gateway.evm.payers[0].address,
      data: '0x',
      purpose: 'forsaken',
    }),
  );
  const row = () => gateway.database.outgoingTransaction.findUniqueOrThrow({ where: { id } });
  const take = (takenAt: Date) =>
    gateway.database.outgoingTransaction.update({ where: { id }, data: { sender, takenAt } });
  await take(gateway.clock.now());
  const pump = openPumps({ ...gateway.action, locks: gateway.locks, limits: gateway.limits });
  await pump({ chainId, sender });
  expect(await row()).toMatchObject({ sender, status: 'QUEUED' });
  await take(new Date(gateway.clock.now().getTime() - 61_000));
  await pump({ chainId, sender });
  expect(await row()).toMatchObject({ sender: RELAY_SENDER, status: 'QUEUED' });
  await gateway.settleDown();
  expect((await row()).status).toMatch(/MINED|FINAL/);
});
