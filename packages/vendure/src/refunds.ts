import { Injectable } from '@nestjs/common';
import {
  Logger,
  type Order,
  OrderService,
  Payment,
  Refund,
  type RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { SluiceGateway } from './gateway.ts';
import { LOG_CONTEXT } from './options.ts';
import { lockOrder } from './order-lock.ts';
import { isRefundable, type PaymentIntent } from './payment-state.ts';

type OpenRefund = { refund: Refund; order: Order; intent: PaymentIntent };

const REASON_LENGTH = 500;
/** The gateway keeps idempotency keys for at least 24 hours. */
const KEY_IS_KEPT_MS = 20 * 60 * 60 * 1000;
/** Refusals after which the same request can never succeed. INVALID_STATE depends on the state. */
const FINAL_CODES = ['VALIDATION_ERROR', 'NOT_FOUND', 'IDEMPOTENCY_MISMATCH'];

/**
 * Requests the Pending refunds of a payment from the gateway, and records the results that the chain has confirmed. The stored
 * refund is the request: its ID is the idempotency key, so that a request that is repeated after a crash moves no money twice.
 */
@Injectable()
export class SluiceRefunds {
  constructor(
    private readonly gateway: SluiceGateway,
    private readonly connection: TransactionalConnection,
    private readonly orders: OrderService,
  ) {}

  /** The gateway carries out one refund of a payment at a time; the next one is requested when the webhook reports its result. */
  async bringUp(ctx: RequestContext, paymentId: Payment['id']): Promise<void> {
    const payment = await this.connection.getRepository(ctx, Payment).findOneOrFail({
      where: { id: paymentId },
      relations: ['order', 'refunds'],
      order: { refunds: { createdAt: 'ASC' } },
    });
    for (const { id } of payment.refunds.filter(isOurs)) {
      await this.connection.withTransaction(ctx, async (tx) => {
        const order = await lockOrder(tx, this.connection, { id: payment.order.id });
        const refund = await this.connection.getRepository(tx, Refund).findOneOrFail({ where: { id } });
        if (!order || !isOurs(refund)) return;
        const intent = await this.gateway.getIntent(payment.transactionId);
        const open = { refund, order, intent };
        if (refund.metadata.transactionId === undefined) await this.request(tx, open);
        else await this.record(tx, open);
      });
    }
  }

  private async request(ctx: RequestContext, { refund, order, intent }: OpenRefund): Promise<void> {
    const sent = await this.findSent(ctx, { refund, order, intent });
    if (sent !== null) return await this.note(ctx, refund, { transactionId: sent });
    const sluice = await this.gateway.client();
    try {
      const answer = await sluice.paymentIntents.refund(
        intent.id,
        { amount: refund.metadata.baseUnits, reason: reasonOf(refund, order) },
        { idempotencyKey: `vendure:refund:${order.code}:${refund.id}` },
      );
      await this.note(ctx, refund, { transactionId: answer.transactionId, refundId: answer.refundId });
    } catch (error) {
      const refused = await this.gateway.refusalOf(error);
      if (refused?.code === 'INVALID_STATE' && isRefundable((await this.gateway.getIntent(intent.id)).status)) {
        // Another transaction of the payment is pending. Its webhook, or else the scheduled task, leads here again.
        Logger.info(`Refund ${refund.id} of ${order.code} waits: ${refused.message}`, LOG_CONTEXT);
        return;
      }
      if (refused?.code !== 'INVALID_STATE' && !FINAL_CODES.includes(refused?.code ?? '')) throw error;
      await this.fail(ctx, refund, refused?.message ?? '');
    }
  }

  /**
   * The transaction of a request whose response was lost, if the gateway may have forgotten its idempotency key: a refund of
   * the same amount that no other refund of this payment has.
   */
  private async findSent(ctx: RequestContext, { refund, intent }: OpenRefund): Promise<string | null> {
    if (Date.now() - refund.createdAt.getTime() < KEY_IS_KEPT_MS) return null;
    const siblings = await this.connection
      .getRepository(ctx, Refund)
      .find({ where: { payment: { id: refund.paymentId } } });
    const taken = siblings.map(({ metadata }) => metadata.transactionId);
    const found = intent.transactions.find(
      ({ id, type, status, amount, createdAt }) =>
        type === 'REFUND' &&
        status !== 'FAILED' &&
        amount === refund.metadata.baseUnits &&
        Date.parse(createdAt) >= refund.createdAt.getTime() &&
        !taken.includes(id),
    );
    return found?.id ?? null;
  }

  private async record(ctx: RequestContext, { refund, order, intent }: OpenRefund): Promise<void> {
    const sent = intent.transactions.find(({ id }) => id === refund.metadata.transactionId);
    if (sent?.status === 'FAILED') await this.fail(ctx, refund, sent.error ?? 'The transaction failed.');
    if (sent?.status !== 'CONFIRMED') return;
    await this.orders.settleRefund(ctx, { id: refund.id, transactionId: sent.txHash ?? sent.id });
    Logger.verbose(`Refund ${refund.id} of ${order.code} is confirmed.`, LOG_CONTEXT);
  }

  private async note(ctx: RequestContext, refund: Refund, found: { transactionId: string; refundId?: string }) {
    refund.metadata = { ...refund.metadata, ...found };
    refund.transactionId = found.transactionId;
    await this.connection.getRepository(ctx, Refund).save(refund, { reload: false });
  }

  private async fail(ctx: RequestContext, refund: Refund, errorMessage: string): Promise<void> {
    Logger.error(`Refund ${refund.id} has failed: ${errorMessage}`, LOG_CONTEXT);
    refund.metadata = { ...refund.metadata, errorMessage };
    await this.connection.getRepository(ctx, Refund).save(refund, { reload: false });
    await this.orders.transitionRefundToState(ctx, refund.id, 'Failed');
  }
}

/** Whether a refund waits for the gateway. */
export function isOurs(refund: Pick<Refund, 'state' | 'metadata'>): boolean {
  return refund.state === 'Pending' && typeof refund.metadata?.baseUnits === 'string';
}

/** The same for each attempt, because the gateway compares the content of requests with one key. */
function reasonOf(refund: Refund, order: Order): string {
  return (refund.reason?.trim() || `Refund of order ${order.code}`).slice(0, REASON_LENGTH);
}
