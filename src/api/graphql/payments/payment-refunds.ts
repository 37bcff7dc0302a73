/** The refunds that a merchant asked for, beside the payment that they give back. */
import { builder, NodeRef } from '../server/builder.ts';
import { RefundStatusEnum } from './payment-actions.ts';
import { PaymentIntentRef } from './payment-intent.ts';

/** Refunds that one payment shows. */
const ROWS = 100;

export const PaymentRefundRef = builder.prismaObject('Refund', {
  name: 'PaymentRefund',
  description:
    'A refund that the merchant asked for; what anybody refunds on the contract itself is in `transactions` alone.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUIDv7; `refundId` of the answer that made it.' }),
    transactionId: t.expose('transactionId', { type: 'UUID', description: 'The transaction that carries it.' }),
    status: t.expose('status', {
      type: RefundStatusEnum,
      description: 'PENDING until the result is confirmed on the chain.',
    }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What goes back, base units.' }),
    leftoverAfter: t.expose('leftoverAfter', { type: 'BaseUnits', description: 'What is left after it, base units.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    reason: t.exposeString('reason', { description: 'As it was given, 1 to 500 characters.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it was given up.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true, description: 'When the payer had it.' }),
  }),
});

builder.prismaObjectField(PaymentIntentRef, 'refunds', (t) =>
  t.relation('refunds', {
    authScopes: { read: true },
    type: PaymentRefundRef,
    complexity: { field: 1, multiplier: 2 },
    description: 'Refunds that were asked for, oldest first, at most 100.',
    query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: ROWS },
  }),
);
