/** The terms of one charge. They must equal the consent's field by field, or the contract rejects them. */
import type { Hex } from 'viem';
import type { PaymentIntent } from '../../../prisma/client.ts';
import { quoteHash } from '../../checkout/quoted-terms.ts';
import { chargeIntentId, type RecurringConsent } from '../../escrow/consent.ts';
import type { PaymentTerms } from '../../escrow/terms.ts';
import type { IntentSettings } from '../../payments/new-payment-intent.ts';
import type { PriceEvidence } from '../../prices/price-evidence.ts';

/**
 * `amount` is in base units, `authorizeBy` in Unix seconds. The intent id on chain is derived from consent and period and is not
 * the payment intent's id: a payment is identified by its chain and the hash of its terms.
 */
export function chargeTerms(request: {
  chainId: number;
  consentId: Hex;
  consent: RecurringConsent;
  periodIndex: number;
  intent: Pick<PaymentIntent, 'amount' | 'currency'>;
  quoteId: string;
  amount: bigint;
  evidence: PriceEvidence;
  authorizeBy: number;
}): PaymentTerms {
  const { consent, authorizeBy } = request;
  return {
    intentId: chargeIntentId(request.consentId, request.periodIndex),
    payer: consent.payer,
    merchant: consent.merchant,
    token: consent.token,
    amount: request.amount,
    authorizeBy,
    // Captured in the same transaction, so no hold is ever captured later.
    captureBy: authorizeBy,
    timelock: consent.timelock,
    disputeWindow: consent.disputeWindow,
    disputeTimeout: consent.disputeTimeout,
    timeoutPayerBps: consent.timeoutPayerBps,
    feeBps: consent.feeBps,
    feeRecipient: consent.feeRecipient,
    operator: consent.operator,
    arbiter: consent.arbiter,
    quoteHash: quoteHash(request),
    captureOnAuthorize: true,
  };
}

/** The settings of a charge's payment intent: the rules that the payer signed, not the app's current ones. */
export function chargeSettings(app: IntentSettings, consent: RecurringConsent): IntentSettings {
  return {
    ...app,
    timelockDuration: consent.timelock,
    disputeStartDuration: consent.disputeWindow,
    platformFeeBps: consent.feeBps,
    captureMode: 'AUTOMATIC',
  };
}
