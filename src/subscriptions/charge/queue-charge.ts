import type { Address, Hex } from 'viem';
import type { DatabaseTransaction, Quote } from '../../../prisma/client.ts';
import { requireUnpaid } from '../../checkout/require-payable.ts';
import { chargeCall } from '../../escrow/calldata.ts';
import type { RecurringConsent } from '../../escrow/consent.ts';
import { type PaymentTerms, termsToJson } from '../../escrow/terms.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { lockIntents } from '../../payments/facts/lock-intents.ts';
import { requestAuthorizations } from '../../payments/transactions/request-authorization.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { hexOf, type PreparedCharge } from './prepare-charge.ts';

/** A prepared charge and the number of failed simulations after which it is given up (default 5). */
type QueuedCharge = PreparedCharge & Pick<SignedCharge, 'maxFailures'>;

/**
 * Writes charges and queues them in the caller's transaction: their quotes and terms (from then on their payments count), a PENDING
 * AUTHORIZE transaction each, and the relayed transactions. The caller holds the locks of the subscriptions and invoices; this
 * function locks the payments. Returns the transactions' ids. Throws INVALID_STATE for an intent that is not CREATED, and CONFLICT
 * while a charge of it is pending.
 */
export async function queueCharges(tx: DatabaseTransaction, charges: readonly QueuedCharge[]): Promise<string[]> {
  if (charges.length === 0) return [];
  const signed = charges.map((charge) => {
    const { payerSignature, chainId } = charge.row;
    if (payerSignature === null) throw new Error('A consent that was not signed cannot be charged.');
    return { ...charge, chainId, consentSignature: hexOf(payerSignature) };
  });
  const rows = charges.map((charge) => chargeRows({ charge, confirmedAt: charge.createdAt }));
  await tx.paymentTerms.createMany({ data: rows.map(({ terms }) => terms) });
  await tx.quote.createMany({ data: rows.map(({ quote }) => quote) });
  return await sendCharges(tx, signed);
}

/** Writes the quote and the signed terms of a charge. `confirmedAt` is null until the payer has signed. */
export async function recordCharge(
  tx: DatabaseTransaction,
  { charge, confirmedAt }: { charge: PreparedCharge; confirmedAt: Date | null },
): Promise<Quote> {
  const { terms, quote } = chargeRows({ charge, confirmedAt });
  await tx.paymentTerms.create({ data: terms });
  return await tx.quote.create({ data: quote });
}

function chargeRows({ charge, confirmedAt }: { charge: PreparedCharge; confirmedAt: Date | null }) {
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
  return {
    terms: {
      ...shared,
      quoteId: charge.quoteId,
      terms: termsToJson(terms),
      operatorSignature: charge.operatorSignature,
      // The payer signs the consent, which these terms equal field by field.
      payerSignature: row.payerSignature,
      authorizeBy: new Date(terms.authorizeBy * 1000),
    },
    quote: {
      ...shared,
      id: charge.quoteId,
      walletAddress: row.walletAddress,
      cryptoAmount: toDecimal(quoted.cryptoAmount),
      expiresAt: charge.expiresAt,
      confirmedAt,
      plan: { kind: 'charge', consentId: charge.consentId, periodIndex: charge.periodIndex },
      evidence: quoted.evidence,
    },
  };
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

/** Queues a recorded charge. Throws as `queueCharges` does. */
export async function sendCharge(tx: DatabaseTransaction, charge: SignedCharge): Promise<void> {
  await sendCharges(tx, [charge]);
}

async function sendCharges(tx: DatabaseTransaction, charges: readonly SignedCharge[]): Promise<string[]> {
  const ids = charges.map((charge) => charge.paymentIntentId);
  await lockIntents(tx, ids);
  const intents = await tx.paymentIntent.findMany({
    where: { id: { in: ids } },
    select: { status: true, x402Scheme: true },
  });
  for (const intent of intents) requireUnpaid(intent);
  const requests = charges.map((charge) => ({
    paymentIntentId: charge.paymentIntentId,
    chainId: charge.chainId,
    termsHash: charge.termsHash,
    call: chargeCall({ ...charge, period: charge.periodIndex }),
    amount: charge.terms.amount,
    sender: RELAY_SENDER,
    ...(charge.maxFailures === undefined ? {} : { maxFailures: charge.maxFailures }),
  }));
  return (await requestAuthorizations(tx, requests)).map(({ id }) => id);
}
