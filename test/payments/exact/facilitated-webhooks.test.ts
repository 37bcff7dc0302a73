/** The outcomes of payments to other servers at the merchants' receivers: over HTTP, signed, once and in order. */
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { createApp } from '../../../src/auth/create-app.ts';
import { createMerchant } from '../../../src/auth/create-merchant.ts';
import { createWebhookEndpoint } from '../../../src/events/webhooks/create-webhook-endpoint.ts';
import { runWebhooks } from '../../../src/events/webhooks/run-webhooks.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openReceiver, type Receiver } from '../../setup/receivers/receiver.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { openExactGround } from './exact-ground.ts';

const eventsOf = ({ received }: Receiver) =>
  received.map(({ body }) => JSON.parse(body)).map(({ type, data }): [string, string] => [type, data.id]);

it('reach the receiver of the merchant who owns the payment, and no other', async () => {
  const ground = await openExactGround();
  const { gateway } = ground;
  const { database, clock, evm } = gateway;
  const merchant = await createMerchant({ database }, { name: 'Other' });
  const otherApp = await database.app.findUniqueOrThrow({
    where: { id: (await createApp({ database }, { merchantId: merchant.id, name: 'Other', mode: 'TEST' })).id },
  });
  const listen = async (appId: string) => {
    const receiver = await openReceiver();
    const input = { url: receiver.url, events: ['*' as const], ordered: true };
    const { secret } = await createWebhookEndpoint({ database, privateAddresses: true }, { appId, input });
    return { receiver, secret };
  };
  const own = await listen(ground.app.id);
  const others = await listen(otherApp.id);
  const runner = runWebhooks({ database, clock, privateAddresses: true, log: silentLog });
  onTeardown(() => runner.stop());
  const by = ground.forOther();

  const paid = await ground.sign();
  await ground.settle(paid, { by });
  await gateway.settleDown();
  const elsewhere = await ground.sign();
  await ground.settle(elsewhere, { by, app: otherApp });
  await gateway.settleDown();
  const canceled = await ground.sign();
  await ground.settle(canceled, { by });
  await ground.cancel(canceled);
  await gateway.observe();
  await gateway.settleDown();
  const last = await ground.sign();
  await ground.settle(last, { by });
  await gateway.settleDown();

  const ids = await Promise.all([paid, canceled, last, elsewhere].map(async (of) => (await ground.row(of)).id));
  const [paidId, canceledId, lastId, elsewhereId] = ids;
  const unsent = () => database.webhookDelivery.count({ where: { status: { not: 'DELIVERED' } } });
  await expect.poll(unsent, { timeout: 30_000 }).toBe(0);
  expect(eventsOf(own.receiver)).toEqual([
    ['facilitated_payment.settled', paidId],
    ['facilitated_payment.failed', canceledId],
    ['facilitated_payment.settled', lastId],
  ]);
  expect(eventsOf(others.receiver)).toEqual([['facilitated_payment.settled', elsewhereId]]);
  const [first] = own.receiver.received;
  expect(JSON.parse(first?.body ?? '').data).toMatchObject({
    status: 'SETTLED',
    amount: '10000',
    payTo: evm.merchant.address,
    txHash: (await ground.row(paid)).txHash,
  });
  for (const { receiver, secret } of [own, others]) {
    const [stranger] = [own, others].filter((one) => one.secret !== secret);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(stranger?.secret ?? '').verify(body, headers)).toThrow();
    }
    const messages = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(messages).size).toBe(receiver.received.length);
  }
}, 120_000);
