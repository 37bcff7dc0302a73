/** The PaymentIntent type, with every field of the API's description. */
import type { PaymentIntentStatus } from '../../../../prisma/client.ts';
import { paymentIntentStatuses } from '../../../payments/payment-intent.ts';
import { accessOf } from '../server/access/access.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { connectionOf } from '../server/lists/related-connection.ts';

const statusWords: { [Status in PaymentIntentStatus]: string } = {
  CREATED: 'Waiting for the payer.',
  AUTHORIZED: 'The money is held in escrow.',
  CAPTURED: 'Taken for the merchant; settles when the timelock ends.',
  SETTLED: 'Paid out. Final.',
  CANCELLED: 'Cancelled or expired, and any held amount was returned. Final.',
  REFUND_PENDING: 'A refund is pending.',
  REFUNDED: 'Refunded to the payer in full. Final.',
  FAILED: 'The capture failed permanently, and the held amount is returned. Final.',
};

export const PaymentIntentStatusEnum = builder.enumType('PaymentIntentStatus', {
  description: 'Status of a payment.',
  values: Object.fromEntries(
    paymentIntentStatuses.map((status) => [status, { value: status, description: statusWords[status] }]),
  ) as { [Status in PaymentIntentStatus]: { value: Status; description: string } },
});

export const CaptureModeEnum = builder.enumType('CaptureMode', {
  description: 'When the payment is captured.',
  values: {
    AUTOMATIC: { value: 'AUTOMATIC', description: 'In the transaction that authorizes the payment.' },
    MANUAL: { value: 'MANUAL', description: 'When the merchant requests it, before the capture deadline.' },
  } as const,
});

export const AuthorizationMethodEnum = builder.enumType('AuthorizationMethod', {
  description: 'How the payer pays or paid.',
  values: {
    DIRECT: { value: 'DIRECT', description: "The payer's wallet sent the transaction." },
    PERMIT: {
      value: 'PERMIT',
      description: 'The payer signed (EIP-2612 or ERC-3009), and the operator relayed the signature.',
    },
    APPROVAL: {
      value: 'APPROVAL',
      description: 'The payer had approved the escrow, and the operator sent the transaction.',
    },
    TRANSFER: {
      value: 'TRANSFER',
      description:
        'A plain transfer to a deposit address, from any wallet or an exchange. Used only as an input: the payment itself has the method DIRECT, and its `transfer` is not null.',
    },
  } as const,
});

export const PaymentSourceTypeEnum = builder.enumType('PaymentSourceType', {
  description: 'What created a payment intent.',
  values: {
    CHECKOUT: { value: 'CHECKOUT', description: 'A checkout session.' },
    PAYMENT_LINK: { value: 'PAYMENT_LINK', description: 'A payment link.' },
    INVOICE: { value: 'INVOICE', description: 'An invoice.' },
    SUBSCRIPTION: { value: 'SUBSCRIPTION', description: 'A subscription.' },
  } as const,
});

/**
 * A payer with a client secret reads the payment of the session. Fields for the merchant's own use, and related objects, are readable by
 * the merchant only.
 */
export const isMerchant = ({ principal }: GraphqlContext) => accessOf(principal).has('read');

export const PaymentIntentRef = builder.prismaObject('PaymentIntent', {
  description: "A single payment, from creation to settlement. To its payer: without what is the merchant's alone.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    customerAccountId: t.expose('customerAccountId', {
      type: 'UUID',
      nullable: true,
      description: 'The linked customer.',
    }),
    externalId: t.string({
      nullable: true,
      description: "The merchant's own reference, at most 255 characters; null for the payer.",
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.externalId : null),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'In `currency`, at least two decimals.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    allowedChains: t.expose('allowedChains', { type: 'ChainSelection', description: 'Chains it may be paid on.' }),
    allowedTokens: t.expose('allowedTokens', { type: 'TokenSelection', description: 'Tokens it may be paid with.' }),
    captureMode: t.expose('captureMode', { type: CaptureModeEnum, description: 'When the payment is captured.' }),
    timelockDuration: t.exposeInt('timelockDuration', { description: 'Escrow lock after capture, seconds.' }),
    disputeStartDuration: t.exposeInt('disputeStartDuration', {
      description: 'Seconds after capture in which a dispute may start.',
    }),
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    authorizationMethod: t.expose('authorizationMethod', {
      type: AuthorizationMethodEnum,
      nullable: true,
      description: 'How the payer paid.',
    }),
    authorizationChainId: t.exposeInt('authorizationChainId', {
      nullable: true,
      description: 'The chain it was paid on.',
    }),
    authorizationTokenKey: t.exposeString('authorizationTokenKey', {
      nullable: true,
      description: 'The token it was paid with.',
    }),
    authorizationWalletAddress: t.exposeString('authorizationWalletAddress', {
      nullable: true,
      description: "The payer's wallet.",
    }),
    authorizationTxHash: t.exposeString('authorizationTxHash', {
      nullable: true,
      description: 'The authorizing transaction.',
    }),
    authorizationSignature: t.exposeString('authorizationSignature', {
      nullable: true,
      description: 'The permit or ERC-3009 signature, if one was used.',
    }),
    authorizedAt: t.expose('authorizedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time of the authorization.',
    }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Token amount paid, base units.',
    }),
    cryptoTokenKey: t.exposeString('cryptoTokenKey', { nullable: true, description: 'The token of `cryptoAmount`.' }),
    cryptoTokenDecimals: t.exposeInt('cryptoTokenDecimals', { nullable: true, description: 'Decimals of that token.' }),
    exchangeRate: t.string({
      nullable: true,
      description: 'Whole tokens per 1 USD when it was paid, a decimal string.',
      resolve: (intent) => intent.exchangeRate?.toFixed() ?? null,
    }),
    captureTxHash: t.exposeString('captureTxHash', { nullable: true, description: 'The capturing transaction.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Block time of the capture.' }),
    captureAttempts: t.exposeInt('captureAttempts', {
      description: 'Captures tried so far; an automatic one counts with its authorization.',
    }),
    timelockEndsAt: t.expose('timelockEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the escrow lock ends.',
    }),
    settledAt: t.expose('settledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the payout to the merchant.',
    }),
    refundedAt: t.expose('refundedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Of the latest final refund, a partial one too.',
    }),
    refundTxHash: t.exposeString('refundTxHash', { nullable: true, description: 'Of the latest final refund.' }),
    refundReason: t.string({
      nullable: true,
      description: 'Of the latest final refund; null for the payer.',
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.refundReason : null),
    }),
    platformFeeBps: t.exposeInt('platformFeeBps', { description: 'Platform fee, basis points.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it expires if it is not paid.',
    }),
    sourceType: t.expose('sourceType', {
      type: PaymentSourceTypeEnum,
      nullable: true,
      description: 'What made it; null for the API itself.',
    }),
    sourceId: t.expose('sourceId', { type: 'UUID', nullable: true, description: 'The id of what made it.' }),
    successUrl: t.exposeString('successUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after paying.',
    }),
    cancelUrl: t.exposeString('cancelUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after cancelling.',
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: "The merchant's own data; empty for the payer.",
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.metadata : {}),
    }),
    idempotencyKey: t.string({
      nullable: true,
      description: 'Unique in the app, for ever; null for the payer.',
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.idempotencyKey : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    leftoverAmount: t.expose('leftAmount', {
      extensions: { rest: false },
      type: 'BaseUnits',
      nullable: true,
      description: 'Base units still in escrow; null before authorization.',
    }),
  }),
});

export const PaymentIntentConnection = connectionOf(PaymentIntentRef);
