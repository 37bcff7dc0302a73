/** The mutations on a payment: capturePaymentIntent, cancelPaymentIntent and refundPaymentIntent. */
import { cancelPaymentIntent } from '../../../payments/actions/cancel-payment-intent.ts';
import { capturePaymentIntent, captureSchema } from '../../../payments/actions/capture-payment-intent.ts';
import { REASON_LIMIT, refundSchema } from '../../../payments/actions/refund-amount.ts';
import { type RefundAnswer, refundPaymentIntent } from '../../../payments/actions/refund-payment-intent.ts';
import { retryDelivery } from '../../../payments/payouts/retry-delivery.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { PaymentIntentRef } from './payment-intent.ts';

const captureRules = defineRules({ schema: captureSchema.extend(appIdShape) });

const CapturePaymentIntentInput = builder.inputType('CapturePaymentIntentInput', {
  description: 'Input for capturing an authorized payment.',
  extensions: carryRules(captureRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    amount: t.string({
      description:
        'Amount in base units. Defaults to the authorized amount, which is also the maximum. The rest is returned to the payer.',
    }),
  }),
});

const refundRules = defineRules({ schema: refundSchema.safeExtend(appIdShape) });

const RefundPaymentIntentInput = builder.inputType('RefundPaymentIntentInput', {
  description: 'The amount and reason of a refund. Without amount and percent, everything that is left is refunded.',
  extensions: carryRules(refundRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    reason: t.string({ required: true, description: `${REASON_LIMIT} The payer can read it.` }),
    amount: t.string({ description: 'Amount to refund in base units, at most the amount that is left.' }),
    percent: t.float({ description: 'Percentage of the amount that is left, 1 to 100. Rounded down to base units.' }),
  }),
});

export const RefundStatusEnum = builder.enumType('RefundStatus', {
  description: 'Status of a refund.',
  values: {
    PENDING: { value: 'PENDING', description: 'The refund is queued or sent.' },
    CONFIRMED: { value: 'CONFIRMED', description: 'The payer received it.' },
    FAILED: { value: 'FAILED', description: 'It was abandoned, and no funds moved.' },
  } as const,
});

const RefundRef = builder.objectRef<RefundAnswer>('RefundRequest').implement({
  description: 'A requested refund.',
  fields: (t) => ({
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The payment.' }),
    refundId: t.expose('refundId', { type: 'UUID', description: 'The refund.' }),
    transactionId: t.expose('transactionId', {
      type: 'UUID',
      description: 'ID of the transaction that executes the request.',
    }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'Hash of the transaction. Null until it is sent.',
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
    reason: t.exposeString('reason', { description: 'The reason, as in the request.' }),
  }),
});

builder.mutationField('capturePaymentIntent', (t) =>
  t.field({
    type: PaymentIntentRef,
    description:
      'Captures an authorized payment in whole or in part. The rest is returned to the payer. The status becomes CAPTURED when the chain has confirmed the transaction. INVALID_STATE unless the payment is AUTHORIZED.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({
        type: CapturePaymentIntentInput,
        description: 'Optional. Defaults to the whole authorized amount.',
      }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, captureRules, args.input ?? {});
      const call = await callOf(context, { operation: 'capturePaymentIntent', id: args.id, input, appId });
      return await capturePaymentIntent(context.world, { ...call, ...input });
    },
  }),
);

builder.mutationField('cancelPaymentIntent', (t) =>
  t.field({
    type: PaymentIntentRef,
    description:
      'Cancels a payment that has not been captured. An authorized payment is returned to the payer, and its status becomes CANCELLED when the chain has confirmed the transaction. INVALID_STATE while an authorization is on the chain but not final.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) =>
      await cancelPaymentIntent(context.world, await callOf(context, { operation: 'cancelPaymentIntent', id })),
  }),
);

builder.mutationField('refundPaymentIntent', (t) =>
  t.field({
    type: RefundRef,
    description: 'Refunds a captured payment in whole or in part. INVALID_STATE unless the payment is CAPTURED.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: RefundPaymentIntentInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, refundRules, args.input);
      const call = await callOf(context, { operation: 'refundPaymentIntent', id: args.id, input, appId });
      return await refundPaymentIntent(context.world, { ...call, ...input });
    },
  }),
);

builder.mutationField('deliverPayouts', (t) =>
  t.field({
    type: PaymentIntentRef,
    description:
      'Retries the undelivered payouts of a payment now, each to its own recipient, instead of at the next scheduled time. `undelivered` is empty when the chain has confirmed all of them. INVALID_STATE if nothing is undelivered.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) =>
      await retryDelivery(context.world, await callOf(context, { operation: 'deliverPayouts', id })),
  }),
);

type PaymentCall = { operation: string; id: string; input?: object; appId?: string | null | undefined };

async function callOf(context: GraphqlContext, call: PaymentCall) {
  const scope = await scopeOf(context, { appId: call.appId });
  const { operation, id, input } = call;
  const scopeId = scope.appId ?? scope.merchantId;
  return { scope, id, idempotency: idempotencyOf(context, { scopeId, operation, parameters: { id, ...input } }) };
}
