import type { Address, Hex } from 'viem';
import type { DatabaseTransaction, Quote } from '../../../prisma/client.ts';
import { requireUnpaid } from '../../checkout/require-payable.ts';
import { lockPaymentIntent } from '../../checkout/store.ts';
import { chargeCall } from '../../escrow/calldata.ts';
import type { RecurringConsent } from '../../escrow/consent.ts';
import { type PaymentTerms, termsToJson } from '../../escrow/terms.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { requestAuthorization } from '../../payments/transactions/request-authorization.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { hexOf, type PreparedCharge } from './prepare-charge.ts';

/**
 * Writes a charge and queues it in the caller's transaction: its quote and terms (from then on its payment counts), a PENDING
 * AUTHORIZE transaction, and the operator's transaction. The caller holds the locks of the subscription and the invoice; this
 * function locks the payment. Returns the transaction's id. Throws INVALID_STATE for an intent that is not CREATED, and CONFLICT
 * while a charge of it is pending.
 */
export async function queueCharge(
  tx: DatabaseTransaction,
  charge: PreparedCharge & Pick<SignedCharge, 'maxFailures'>,
): Promise<string> {
  const { payerSignature, chainId } = charge.row;
  if (payerSignature === null) throw new Error('A consent that was not signed cannot be charged.');
  await recordCharge(tx, { charge, confirmedAt: charge.createdAt });
  return await sendCharge(tx, { ...charge, chainId, consentSignature: hexOf(payerSignature) });
}

/** Writes the quote and the signed terms of a charge. `confirmedAt` is null until the payer has signed. */
export async function recordCharge(
  tx: DatabaseTransaction,
  { charge, confirmedAt }: { charge: PreparedCharge; confirmedAt: Date | null },
): Promise<Quote> {
  const { row, terms, quoted } = charge;
  const shared = {
    paymentIntentId: charge.paymentIntentId,
    chainId: row.chainId,
    tokenKey: row.tokenKey,
    method: row.method,
    exchangeRate: quoted.exchangeRate,
    termsHash: charge.termsHash,
    createdAt: charge.createdAt,
  };
  await tx.paymentTerms.create({
    data: {
      ...shared,
      quoteId: charge.quoteId,
      terms: termsToJson(terms),
      operatorSignature: charge.operatorSignature,
      // The payer signs the consent, which these terms equal field by field.
      payerSignature: row.payerSignature,
      authorizeBy: new Date(terms.authorizeBy * 1000),
    },
  });
  return await tx.quote.create({
    data: {
      ...shared,
      id: charge.quoteId,
      walletAddress: row.walletAddress,
      cryptoAmount: toDecimal(quoted.cryptoAmount),
      expiresAt: charge.expiresAt,
      confirmedAt,
      plan: { kind: 'charge', consentId: charge.consentId, periodIndex: charge.periodIndex },
      evidence: quoted.evidence,
    },
  });
}

export type SignedCharge = {
  paymentIntentId: string;
  chainId: number;
  escrow: Address;
  consent: RecurringConsent;
  periodIndex: number;
  terms: PaymentTerms;
  termsHash: string;
  operatorSignature: Hex;
  consentSignature: Hex;
  /** The number of failed simulations after which it is given up (default 5). */
  maxFailures?: number;
};

/** Queues a recorded charge. Throws as `queueCharge` does. */
export async function sendCharge(tx: DatabaseTransaction, charge: SignedCharge): Promise<string> {
  const { paymentIntentId, chainId, termsHash } = charge;
  await lockPaymentIntent(tx, paymentIntentId);
  requireUnpaid(await tx.paymentIntent.findUniqueOrThrow({ where: { id: paymentIntentId } }));
  const call = chargeCall({ ...charge, period: charge.periodIndex });
  const { id } = await requestAuthorization(tx, {
    paymentIntentId,
    chainId,
    termsHash,
    call,
    amount: charge.terms.amount,
    sender: RELAY_SENDER,
    ...(charge.maxFailures === undefined ? {} : { maxFailures: charge.maxFailures }),
  });
  return id;
}
