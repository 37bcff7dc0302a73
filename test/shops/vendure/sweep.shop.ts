/** What the scheduled task of the plugin finds when webhooks have not arrived. It is run as "Run now" in Vendure's dashboard runs it. */
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { fillOrder, readOrder, startCheckout } from './shop-client.ts';
import { openShopGround, PAID_LIMIT } from './shop-ground.ts';

const shop = await openShopGround();
const { admin, automaticCode, gateway, manualCode, sluice } = shop;
const { intentInStatus, orderInState, pay, placeOrder, refund, withoutWebhooks } = shop;

describe('the scheduled task', () => {
  it('places an order that neither a webhook nor a redirect has reported', async () => {
    const { visitor, id, total } = await fillOrder(shop.url, 1);
    await withoutWebhooks(async () => {
      const { paymentIntentId, sessionId } = await startCheckout(visitor, automaticCode);
      await pay(sessionId);
      await intentInStatus(paymentIntentId, 'CAPTURED');
      expect((await readOrder(admin, id)).state).toBe('ArrangingPayment');
      await runTask();
      const placed = await orderInState(id, 'PaymentSettled');
      expect(placed.payments).toMatchObject([{ state: 'Settled', amount: Number(total) }]);
      await runTask();
      expect(await readOrder(admin, id)).toEqual(placed);
    });
  });

  it('records a capture and a refund without a webhook', async () => {
    const { id, intentId } = await placeOrder(manualCode, 1, 'PaymentAuthorized');
    await withoutWebhooks(async () => {
      await sluice.paymentIntents.capture(intentId, {});
      await intentInStatus(intentId, 'CAPTURED');
      await runTask();
      const { payments } = await orderInState(id, 'PaymentSettled');
      await refund(payments[0].id, 250n);
      await refundConfirmed(intentId);
      expect((await readOrder(admin, id)).payments[0].refunds).toMatchObject([{ state: 'Pending' }]);
      await runTask();
      await refundsInState(id, 'Settled');
    });
  });

  it('finds the transaction of a refund whose response was lost, even after its key was deleted', async () => {
    const { id, intentId } = await placeOrder(automaticCode, 1);
    const { payments } = await readOrder(admin, id);
    await withoutWebhooks(async () => {
      await refund(payments[0].id, 250n);
      const [sent] = await refundConfirmed(intentId);
      const [{ id: refundId }] = (await readOrder(admin, id)).payments[0].refunds;
      // As if the server had ended before it stored the response, more than 20 hours ago.
      await inShop(
        `UPDATE refund SET "createdAt" = "createdAt" - interval '21 hours', "transactionId" = '',
           metadata = (metadata::jsonb - 'transactionId' - 'refundId')::text WHERE id = $1`,
        [refundId],
      );
      await gateway.database.idempotencyRecord.deleteMany();
      await runTask();
      await vi.waitFor(async () => {
        const [found] = (await readOrder(admin, id)).payments[0].refunds;
        expect(found.metadata.transactionId).toBe(sent?.id);
      }, PAID_LIMIT);
      await runTask();
      await refundsInState(id, 'Settled');
      expect(await refundConfirmed(intentId)).toHaveLength(1);
    });
  });

  it('does not match an earlier external refund of the same amount', async () => {
    const { id, intentId } = await placeOrder(automaticCode, 1);
    const { payments } = await readOrder(admin, id);
    await withoutWebhooks(async () => {
      const amount = await unitsOf(id, 250n, intentId);
      await sluice.paymentIntents.refund(intentId, { amount, reason: 'By hand' });
      await refundConfirmed(intentId);
      await refund(payments[0].id, 250n);
      await vi.waitFor(async () => expect(await refundConfirmed(intentId)).toHaveLength(2), PAID_LIMIT);
      await runTask();
      await refundsInState(id, 'Settled');
    });
  });
});

/** Runs the task now, as "Run now" in the dashboard does, and waits until it has ended. */
async function runTask(): Promise<void> {
  const id = 'sluice-synchronize';
  const lastRun = async () => {
    const { scheduledTasks } = await admin('{ scheduledTasks { id isRunning lastExecutedAt } }');
    return scheduledTasks.find((task: { id: string }) => task.id === id);
  };
  const before = await lastRun();
  await admin('mutation ($id: String!) { runScheduledTask(id: $id) { success } }', { id });
  await vi.waitFor(async () => {
    const { isRunning, lastExecutedAt } = await lastRun();
    expect(lastExecutedAt).not.toBe(before.lastExecutedAt);
    expect(isRunning).toBe(false);
  }, PAID_LIMIT);
}

/** The refunds of a payment, as soon as all of them are confirmed by the chain. There is at least one. */
function refundConfirmed(intentId: string) {
  return vi.waitFor(async () => {
    const { transactions } = await sluice.paymentIntents.get(intentId);
    const refunds = transactions.filter(({ type }) => type === 'REFUND');
    expect(refunds.length).toBeGreaterThan(0);
    expect(refunds.filter(({ status }) => status !== 'CONFIRMED')).toEqual([]);
    return refunds;
  }, PAID_LIMIT);
}

function refundsInState(orderId: string, state: string) {
  return vi.waitFor(async () => {
    expect((await readOrder(admin, orderId)).payments[0].refunds).toMatchObject([{ state }]);
  }, PAID_LIMIT);
}

async function unitsOf(orderId: string, amount: bigint, intentId: string): Promise<string> {
  const [{ totalWithTax }, { cryptoAmount }] = await Promise.all([
    readOrder(admin, orderId),
    sluice.paymentIntents.get(intentId),
  ]);
  return String((BigInt(cryptoAmount ?? '0') * amount) / BigInt(totalWithTax));
}

/** A statement in the database of the shop. */
async function inShop(statement: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: shop.databaseUrl });
  await client.connect();
  try {
    expect((await client.query(statement, values)).rowCount).toBe(1);
  } finally {
    await client.end();
  }
}
