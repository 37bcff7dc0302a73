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
  CAPTURED: 'The payment was claimed for the merchant, and is settled when the timelock ends.',
  SETTLED: 'The merchant was paid. Final.',
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
    AUTOMATIC: { value: 'AUTOMATIC', description: 'The payment is captured in the transaction that authorizes it.' },
    MANUAL: {
      value: 'MANUAL',
      description: 'The payment is captured when the merchant requests it, before the capture deadline.',
    },
  } as const,
});

export const AuthorizationMethodEnum = builder.enumType('AuthorizationMethod', {
  description: 'How the payer agrees to the payment.',
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
  description:
    'A single payment, from creation to settlement. Fields that concern only the merchant are hidden from the payer.',
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
      description: "The merchant's own reference, at most 255 characters. Null for the payer.",
      extensions: { columns: ['externalId'] },
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.externalId : null),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'Amount in `currency`, with at least two decimals.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    allowedChains: t.expose('allowedChains', {
      type: 'ChainSelection',
      description: 'Chains on which it can be paid.',
    }),
    allowedTokens: t.expose('allowedTokens', {
      type: 'TokenSelection',
      description: 'Tokens with which it can be paid.',
    }),
    captureMode: t.expose('captureMode', { type: CaptureModeEnum, description: 'When the payment is captured.' }),
    timelockDuration: t.exposeInt('timelockDuration', {
      description: 'Seconds after capture during which the escrow holds the payment.',
    }),
    disputeStartDuration: t.exposeInt('disputeStartDuration', {
      description: 'Seconds after capture during which a dispute can be opened.',
    }),
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    authorizationMethod: t.expose('authorizationMethod', {
      type: AuthorizationMethodEnum,
      nullable: true,
      description: 'How the payer paid.',
    }),
    authorizationChainId: t.exposeInt('authorizationChainId', {
      nullable: true,
      description: 'The chain on which it was paid.',
    }),
    authorizationTokenKey: t.exposeString('authorizationTokenKey', {
      nullable: true,
      description: 'The token with which it was paid.',
    }),
    authorizationWalletAddress: t.exposeString('authorizationWalletAddress', {
      nullable: true,
      description: "The payer's wallet.",
    }),
    authorizationTxHash: t.exposeString('authorizationTxHash', {
      nullable: true,
      description: 'Hash of the transaction that authorized the payment.',
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
      description: 'Token amount paid, in base units.',
    }),
    cryptoTokenKey: t.exposeString('cryptoTokenKey', { nullable: true, description: 'The token of `cryptoAmount`.' }),
    cryptoTokenDecimals: t.exposeInt('cryptoTokenDecimals', {
      nullable: true,
      description: 'Number of decimal places of the token.',
    }),
    exchangeRate: t.string({
      nullable: true,
      description: 'Number of whole tokens per 1 USD at the time of payment, as a decimal string.',
      extensions: { columns: ['exchangeRate'] },
      resolve: (intent) => intent.exchangeRate?.toFixed() ?? null,
    }),
    captureTxHash: t.exposeString('captureTxHash', {
      nullable: true,
      description: 'Hash of the transaction that captured the payment.',
    }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Block time of the capture.' }),
    captureAttempts: t.exposeInt('captureAttempts', {
      description: 'Number of capture attempts. An automatic capture counts with its authorization.',
    }),
    timelockEndsAt: t.expose('timelockEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the timelock ends.',
    }),
    settledAt: t.expose('settledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the payout to the merchant.',
    }),
    refundedAt: t.expose('refundedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest final refund, whether full or partial.',
    }),
    refundTxHash: t.exposeString('refundTxHash', {
      nullable: true,
      description: 'Hash of the transaction of the latest final refund.',
    }),
    refundReason: t.string({
      nullable: true,
      description: 'Reason for the latest final refund. Null for the payer.',
      extensions: { columns: ['refundReason'] },
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.refundReason : null),
    }),
    platformFeeBps: t.exposeInt('platformFeeBps', { description: 'Platform fee, in basis points.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it expires if it is not paid.',
    }),
    sourceType: t.expose('sourceType', {
      type: PaymentSourceTypeEnum,
      nullable: true,
      description: 'Kind of object that created it. Null if it was created directly through the API.',
    }),
    sourceId: t.expose('sourceId', { type: 'UUID', nullable: true, description: 'ID of the object that created it.' }),
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
      description: "The merchant's own data. Payers receive an empty object.",
      extensions: { columns: ['metadata'] },
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.metadata : {}),
    }),
    idempotencyKey: t.string({
      nullable: true,
      description: 'Idempotency key, permanently unique in the app. Null for the payer.',
      extensions: { columns: ['idempotencyKey'] },
      resolve: (intent, _args, context) => (isMerchant(context) ? intent.idempotencyKey : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    leftoverAmount: t.expose('leftAmount', {
      extensions: { rest: false },
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount that is still in escrow, in base units. Null before the authorization.',
    }),
  }),
});

export const PaymentIntentConnection = connectionOf(PaymentIntentRef);
