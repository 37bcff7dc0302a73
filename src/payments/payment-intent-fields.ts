/** The scalar fields of a payment intent, as the API prints them and events carry them. */
import type { PaymentIntent } from '../../prisma/client.ts';
import { printBaseUnits } from '../prices/base-units.ts';
import { printFiat } from '../prices/money.ts';

export function paymentIntentFields(intent: PaymentIntent) {
  return {
    id: intent.id,
    appId: intent.appId,
    customerAccountId: intent.customerAccountId,
    externalId: intent.externalId,
    amount: printFiat(intent.amount),
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
    platformFeeBps: intent.platformFeeBps,
    expiresAt: printInstant(intent.expiresAt),
    sourceType: intent.sourceType,
    sourceId: intent.sourceId,
    successUrl: intent.successUrl,
    cancelUrl: intent.cancelUrl,
    metadata: intent.metadata ?? {},
    idempotencyKey: intent.idempotencyKey,
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
  };
}

function printInstant(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
