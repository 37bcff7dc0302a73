/** The scalar fields of a payment intent, as the API returns them and events carry them, and the conversion back. */
import { z } from 'zod';
import type { PaymentIntent } from '../../prisma/client.ts';
import { printedDecimal, printedInstant, readPrinted } from '../events/printed-fields.ts';
import { printBaseUnits } from '../prices/base-units.ts';
import { printPrice } from '../prices/money.ts';
import type { PaidCall } from './new-payment-intent.ts';
import { paymentIntentStatuses } from './payment-intent.ts';

export function paymentIntentFields(intent: PaymentIntent) {
  return {
    id: intent.id,
    appId: intent.appId,
    customerAccountId: intent.customerAccountId,
    externalId: intent.externalId,
    amount: printPrice(intent.amount),
    currency: intent.currency,
    allowedChains: intent.allowedChains,
    allowedTokens: intent.allowedTokens,
    captureMode: intent.captureMode,
    timelockDuration: intent.timelockDuration,
    disputeStartDuration: intent.disputeStartDuration,
    status: intent.status,
    authorizationMethod: intent.authorizationMethod,
    authorizationChainId: intent.authorizationChainId,
    authorizationTokenKey: intent.authorizationTokenKey,
    authorizationWalletAddress: intent.authorizationWalletAddress,
    authorizationTxHash: intent.authorizationTxHash,
    authorizationSignature: intent.authorizationSignature,
    authorizedAt: printInstant(intent.authorizedAt),
    cryptoAmount: printBaseUnits(intent.cryptoAmount),
    cryptoTokenKey: intent.cryptoTokenKey,
    cryptoTokenDecimals: intent.cryptoTokenDecimals,
    exchangeRate: intent.exchangeRate?.toFixed() ?? null,
    captureTxHash: intent.captureTxHash,
    capturedAt: printInstant(intent.capturedAt),
    captureAttempts: intent.captureAttempts,
    timelockEndsAt: printInstant(intent.timelockEndsAt),
    settledAt: printInstant(intent.settledAt),
    refundedAt: printInstant(intent.refundedAt),
    refundTxHash: intent.refundTxHash,
    refundReason: intent.refundReason,
    leftoverAmount: printBaseUnits(intent.leftAmount),
    platformFeeBps: intent.platformFeeBps,
    expiresAt: printInstant(intent.expiresAt),
    sourceType: intent.sourceType,
    sourceId: intent.sourceId,
    successUrl: intent.successUrl,
    cancelUrl: intent.cancelUrl,
    metadata: intent.metadata ?? {},
    idempotencyKey: intent.idempotencyKey,
    x402: paidCall(intent),
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
  };
}

type PaidCallColumns = Pick<PaymentIntent, 'x402Resource' | 'x402Scheme' | 'x402Network'>;

/** The paid API call (x402) that an intent pays, or null. */
export function paidCall({ x402Resource, x402Scheme, x402Network }: PaidCallColumns): PaidCall | null {
  if (x402Resource === null || x402Scheme === null || x402Network === null) return null;
  return { resource: x402Resource, scheme: x402Scheme, network: x402Network };
}

const text = z.string().nullable();
const number = z.int().nullable();
const decimal = printedDecimal.nullable();
const instant = printedInstant.nullable();

/** The fields that change during the life of an intent. */
const printed = z
  .object({
    customerAccountId: text,
    externalId: text,
    status: z.enum(paymentIntentStatuses),
    authorizationMethod: z.enum(['DIRECT', 'PERMIT', 'APPROVAL']).nullable(),
    authorizationChainId: number,
    authorizationTokenKey: text,
    authorizationWalletAddress: text,
    authorizationTxHash: text,
    authorizationSignature: text,
    authorizedAt: instant,
    cryptoAmount: decimal,
    cryptoTokenKey: text,
    cryptoTokenDecimals: number,
    exchangeRate: decimal,
    captureTxHash: text,
    capturedAt: instant,
    captureAttempts: z.int(),
    timelockEndsAt: instant,
    settledAt: instant,
    refundedAt: instant,
    refundTxHash: text,
    refundReason: text,
    leftoverAmount: decimal,
    expiresAt: instant,
    updatedAt: printedInstant,
  })
  .partial();

/** `intent` as it was when the event payload `data` was printed. Fields missing from `data` keep their value. */
export function paymentIntentAt(intent: PaymentIntent, data: Record<string, unknown>): PaymentIntent {
  const { leftoverAmount: leftAmount, ...columns } = readPrinted(printed, data);
  return { ...intent, ...columns, ...(leftAmount === undefined ? {} : { leftAmount }) };
}

function printInstant(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
