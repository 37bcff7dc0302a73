/** The input of creating a payment intent, and the row that results from it. */
import { z } from 'zod';
import { type App, type PaymentIntent, type PaymentSourceType, Prisma } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { metadataSchema } from '../platform/metadata.ts';
import { currencies, parseFiat } from '../prices/money.ts';

const name255 = z.string().min(1, 'at least 1 character').max(255, 'at most 255 characters').nullish();

/** The limits of the create call. The GraphQL scalars have validated the format already. */
export const newPaymentIntentSchema = z.object({
  amount: z
    .string()
    .refine(
      (text) => parseFiat(text) !== null,
      'a positive amount of at most 12 digits and 2 decimals, such as "10.00"',
    ),
  currency: z.enum(currencies, 'must be USD or EUR').nullish(),
  customerAccountId: z.string().nullish(),
  externalId: name255,
  allowedChains: z.union([z.literal('ALL'), z.array(z.number())]).nullish(),
  allowedTokens: z.union([z.literal('ALL'), z.array(z.string())]).nullish(),
  captureMode: z.enum(['AUTOMATIC', 'MANUAL'], 'AUTOMATIC or MANUAL').nullish(),
  successUrl: z.string().nullish(),
  cancelUrl: z.string().nullish(),
  idempotencyKey: name255,
  metadata: metadataSchema.nullish(),
});
export type NewPaymentIntent = z.infer<typeof newPaymentIntentSchema>;

/** The paid API call (x402) that an intent pays. `network` is a CAIP-2 name. */
export type PaidCall = { resource: string; scheme: string; network: string };

/** `requestHash` binds the payment to the 402 response that its client has answered. */
export type SubmittedCall = PaidCall & { requestHash?: string | null };

/** What created an intent; null if it was created directly through the API. */
export type PaymentSource = { type: PaymentSourceType; id: string };

/** The app settings that an intent copies when it is created. */
export type IntentSettings = Pick<
  App,
  'id' | 'timelockDuration' | 'disputeStartDuration' | 'platformFeeBps' | 'intentExpiry' | 'captureMode'
>;

/** The row of a new intent with every column. Its JSON columns have narrower types than the table. */
export type NewPaymentIntentRow = Omit<PaymentIntent, 'allowedChains' | 'allowedTokens' | 'metadata'> & {
  allowedChains: 'ALL' | number[];
  allowedTokens: 'ALL' | string[];
  metadata: NonNullable<NewPaymentIntent['metadata']>;
};

/**
 * Builds the row of a new intent. `expiresAt` replaces the app's default expiry for an intent that shares the lifetime of a
 * session.
 */
export function newPaymentIntentRow(request: {
  app: IntentSettings;
  fields: NewPaymentIntent;
  now: Date;
  source?: PaymentSource | null;
  expiresAt?: Date | null;
  x402?: SubmittedCall | null;
}): NewPaymentIntentRow {
  const { app, fields, now, source, x402 } = request;
  return {
    id: newId(),
    appId: app.id,
    customerAccountId: fields.customerAccountId ?? null,
    externalId: fields.externalId ?? null,
    amount: new Prisma.Decimal(fields.amount),
    currency: fields.currency ?? 'USD',
    allowedChains: fields.allowedChains ?? 'ALL',
    allowedTokens: fields.allowedTokens ?? 'ALL',
    captureMode: fields.captureMode ?? app.captureMode,
    timelockDuration: app.timelockDuration,
    disputeStartDuration: app.disputeStartDuration,
    platformFeeBps: app.platformFeeBps,
    expiresAt: request.expiresAt ?? new Date(now.getTime() + app.intentExpiry * 1000),
    sourceType: source?.type ?? null,
    sourceId: source?.id ?? null,
    successUrl: fields.successUrl ?? null,
    cancelUrl: fields.cancelUrl ?? null,
    metadata: fields.metadata ?? {},
    idempotencyKey: fields.idempotencyKey ?? null,
    x402Resource: x402?.resource ?? null,
    x402Scheme: x402?.scheme ?? null,
    x402Network: x402?.network ?? null,
    x402RequestHash: x402?.requestHash ?? null,
    createdAt: now,
    updatedAt: now,
    ...unpaid,
  };
}

/** Columns that are set when the intent is paid, or later. */
const unpaid = {
  status: 'CREATED',
  authorizationMethod: null,
  authorizationChainId: null,
  authorizationTokenKey: null,
  authorizationWalletAddress: null,
  authorizationTxHash: null,
  authorizationSignature: null,
  authorizedAt: null,
  cryptoAmount: null,
  cryptoTokenKey: null,
  cryptoTokenDecimals: null,
  exchangeRate: null,
  captureTxHash: null,
  capturedAt: null,
  captureAttempts: 0,
  timelockEndsAt: null,
  settledAt: null,
  refundedAt: null,
  refundTxHash: null,
  refundReason: null,
  acceptedTermsHash: null,
  leftAmount: null,
  settlementCheckAt: null,
  x402AnsweredAt: null,
  x402AnsweredTo: null,
} as const satisfies Partial<PaymentIntent>;
