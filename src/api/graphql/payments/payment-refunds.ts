/** The refunds that a merchant requested for a payment. */
import { builder, NodeRef } from '../server/builder.ts';
import { RefundStatusEnum } from './payment-actions.ts';
import { PaymentIntentRef } from './payment-intent.ts';

/** Maximum number of refunds per payment. */
const ROWS = 100;

export const PaymentRefundRef = builder.prismaObject('Refund', {
  name: 'PaymentRefund',
  description:
    'A refund that the merchant requested. Refunds that someone else makes directly in the contract appear only in `transactions`.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'Unique identifier (UUIDv7), which is `refundId` in the response of the mutation that requested the refund.',
    }),
    transactionId: t.expose('transactionId', {
      type: 'UUID',
      description: 'ID of the transaction that executes the request.',
    }),
    status: t.expose('status', {
      type: RefundStatusEnum,
      description: 'PENDING until the result is confirmed on the chain.',
    }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Refunded amount, in base units.' }),
    leftoverAfter: t.expose('leftoverAfter', {
      type: 'BaseUnits',
      description: 'Amount that is left after it, in base units.',
    }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    reason: t.exposeString('reason', { description: 'As in the request, 1 to 500 characters.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why the refund failed. Null if it did not fail.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the request.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the payer received it.',
    }),
  }),
});

builder.prismaObjectField(PaymentIntentRef, 'refunds', (t) =>
  t.relation('refunds', {
    authScopes: { read: true },
    type: PaymentRefundRef,
    complexity: { field: 1, multiplier: 2 },
    description: 'Requested refunds, oldest first; at most 100.',
    query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: ROWS },
  }),
);
