/** The gateway's answer as holdings. What cannot be read (a chain that is no longer served) is left out. */
import type { PayerHoldingsQuery } from '../../../../generated/web/documents.ts';
import { consentFromJson } from '../../../../src/escrow/consent.ts';
import type { EscrowState, EscrowStatus } from '../../../../src/escrow/read-escrow-state.ts';
import { termsFromJson } from '../../../../src/escrow/terms.ts';
import { asHex } from '../chain/as-hex.ts';
import { type HeldConsent, type HeldPayment, type Holdings, holdingKey } from './holding.ts';

type Told = PayerHoldingsQuery['payer'];
type Places = (chainId: number) => `0x${string}` | undefined;

/** `escrowOf`: the contract on a chain. */
export function holdingsTold(told: Told, escrowOf: Places): Holdings {
  return {
    payments: told.payments.flatMap((payment) => paymentTold(payment, escrowOf)),
    consents: told.consents.flatMap((consent) => consentTold(consent, escrowOf)),
    allowances: told.allowances.flatMap(({ chainId, tokenKey, amount }) =>
      amount == null ? [] : [{ key: holdingKey(chainId, tokenKey), chainId, tokenKey, amount: BigInt(amount) }],
    ),
  };
}

function paymentTold(payment: Told['payments'][number], escrowOf: Places): HeldPayment[] {
  const escrow = escrowOf(payment.chainId);
  if (!escrow) return [];
  const { chainId, appName, appLogoUrl, lines, amount, currency } = payment;
  const merchant = { name: appName, logoUrl: appLogoUrl ?? null };
  const told = {
    intentId: payment.id,
    merchant,
    lines,
    fiat: { amount, currency },
    state: stateTold(payment),
    paidAt: payment.authorizedAt ?? null,
    txHash: payment.txHash ?? null,
  };
  const id = asHex(payment.termsHash);
  return [{ key: holdingKey(chainId, id), chainId, escrow, id, terms: termsFromJson(payment.terms), told }];
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

function stateTold({ status, left, capturedAt, dispute }: Told['payments'][number]): EscrowState {
  const isSplit = dispute?.status === 'RESOLVED_SPLIT' || dispute?.status === 'RESOLVED_MERCHANT';
  return {
    status: isSplit && status === 'SETTLED' ? 'RESOLVED' : (statuses[status] ?? 'NONE'),
    left: BigInt(left ?? '0'),
    capturedAt: seconds(capturedAt),
    disputedAt: seconds(dispute?.createdAt),
  };
}

function consentTold(consent: Told['consents'][number], escrowOf: Places): HeldConsent[] {
  const escrow = escrowOf(consent.chainId);
  if (!escrow) return [];
  const { chainId, appName, appLogoUrl, amount, currency } = consent;
  const told = {
    merchant: { name: appName, logoUrl: appLogoUrl ?? null },
    planName: consent.planName,
    price: { amount, currency, interval: consent.billingInterval ?? null, count: consent.billingIntervalCount },
    isRevoked: consent.revokedAt != null,
    isCurrent: consent.isCurrent,
    status: consent.subscriptionStatus,
    nextChargeAt: consent.nextChargeAt ?? null,
    cancelAtPeriodEnd: consent.cancelAtPeriodEnd,
  };
  const id = asHex(consent.id);
  return [{ key: holdingKey(chainId, id), chainId, escrow, id, consent: consentFromJson(consent.consent), told }];
}

function seconds(instant: string | null | undefined): number {
  return instant == null ? 0 : Math.floor(Date.parse(instant) / 1000);
}
