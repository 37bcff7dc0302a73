/**
 * Converts the gateway's response to holdings. The id of a row is computed again from its terms and never trusted. A row is omitted if it
 * cannot be read, does not match its id, or is on a chain that is no longer served. The other rows are kept.
 */
import type { Address, Hex } from 'viem';
import type { PayerHoldingsQuery } from '../../../../generated/web/documents.ts';
import { consentFromJson, consentHash } from '../../../../src/escrow/consent.ts';
import {
  firstEditionAddress,
  firstEditionConsentHash,
  firstEditionTermsHash,
} from '../../../../src/escrow/first-edition.ts';
import type { EscrowState, EscrowStatus } from '../../../../src/escrow/read-escrow-state.ts';
import { termsFromJson, termsHash } from '../../../../src/escrow/terms.ts';
import { type HeldConsent, type HeldPayment, type Holdings, holdingKey } from './holding.ts';

type ReportedData = PayerHoldingsQuery['payer'];
type Places = (chainId: number) => `0x${string}` | undefined;
/** A contract and the id in it. Payments of the contract's first edition are finished, and are shown with that contract. */
type Place = { escrow: Address; id: Hex };

/** `escrowOf` returns the contract on a chain. */
export function reportedHoldings(reported: ReportedData, escrowOf: Places): Holdings {
  return {
    payments: readable(reported.payments, (payment) => reportedPayment(payment, escrowOf)),
    consents: readable(reported.consents, (consent) => reportedConsent(consent, escrowOf)),
    allowances: readable(reported.allowances, ({ chainId, tokenKey, amount }) =>
      amount == null ? undefined : { key: holdingKey(chainId, tokenKey), chainId, tokenKey, amount: BigInt(amount) },
    ),
    payouts: readable(reported.undelivered, ({ id, chainId, tokenKey, amount, nextTryAt }) =>
      escrowOf(chainId) ? { key: id, chainId, tokenKey, amount: BigInt(amount), nextTryAt } : undefined,
    ),
  };
}

function readable<Row, Held>(rows: readonly Row[], read: (row: Row) => Held | undefined): Held[] {
  return rows.flatMap((row) => {
    try {
      return read(row) ?? [];
    } catch {
      return [];
    }
  });
}

function reportedPayment(payment: ReportedData['payments'][number], escrowOf: Places): HeldPayment | undefined {
  const escrow = escrowOf(payment.chainId);
  if (!escrow) return undefined;
  const { chainId, appName, appLogoUrl, lines, amount, currency } = payment;
  const merchant = { name: appName, logoUrl: appLogoUrl ?? null };
  const reported = {
    intentId: payment.id,
    merchant,
    lines,
    fiat: { amount, currency },
    state: reportedState(payment),
    paidAt: payment.authorizedAt ?? null,
    txHash: payment.txHash ?? null,
    disputeId: payment.dispute?.id ?? null,
    refunds: payment.refunds,
    contact: payment.contact,
    payouts: payment.undelivered.map(({ id }) => id),
  };
  const terms = termsFromJson(payment.terms);
  const places: Place[] = [
    { escrow, id: termsHash(terms) },
    { escrow: firstEditionAddress, id: firstEditionTermsHash({ chainId, terms }) },
  ];
  const place = places.find(({ id }) => isSame(id, payment.termsHash));
  return place && { ...place, key: holdingKey(chainId, place.id), chainId, terms, reported };
}

const statuses: Record<string, EscrowStatus> = {
  AUTHORIZED: 'AUTHORIZED',
  CAPTURED: 'CAPTURED',
  REFUND_PENDING: 'CAPTURED',
  SETTLED: 'SETTLED',
  REFUNDED: 'REFUNDED',
  CANCELLED: 'VOIDED',
  FAILED: 'VOIDED',
};

function reportedState({ status, left, capturedAt, dispute }: ReportedData['payments'][number]): EscrowState {
  const isSplit = dispute?.status === 'RESOLVED_SPLIT' || dispute?.status === 'RESOLVED_MERCHANT';
  return {
    status: isSplit && status === 'SETTLED' ? 'RESOLVED' : (statuses[status] ?? 'NONE'),
    left: BigInt(left ?? '0'),
    capturedAt: seconds(capturedAt),
    disputedAt: seconds(dispute?.createdAt),
  };
}

function reportedConsent(consent: ReportedData['consents'][number], escrowOf: Places): HeldConsent | undefined {
  const escrow = escrowOf(consent.chainId);
  if (!escrow) return undefined;
  const { chainId, appName, appLogoUrl, amount, currency } = consent;
  const reported = {
    merchant: { name: appName, logoUrl: appLogoUrl ?? null },
    planName: consent.planName,
    price: { amount, currency, interval: consent.billingInterval ?? null, count: consent.billingIntervalCount },
    isRevoked: consent.revokedAt != null,
    isCurrent: consent.isCurrent,
    status: consent.subscriptionStatus,
    nextChargeAt: consent.nextChargeAt ?? null,
    cancelAtPeriodEnd: consent.cancelAtPeriodEnd,
    usage: consent.usage,
  };
  const signed = consentFromJson(consent.consent);
  const places: Place[] = [
    { escrow, id: consentHash(signed) },
    { escrow: firstEditionAddress, id: firstEditionConsentHash({ chainId, consent: signed }) },
  ];
  const place = places.find(({ id }) => isSame(id, consent.id));
  return place && { ...place, key: holdingKey(chainId, place.id), chainId, consent: signed, reported };
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function seconds(instant: string | null | undefined): number {
  return instant == null ? 0 : Math.floor(Date.parse(instant) / 1000);
}
