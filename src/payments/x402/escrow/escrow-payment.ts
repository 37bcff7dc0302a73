/**
 * A payment of the scheme `escrow`: the terms that the payer's authorization commits to. The quote covers every field except the payer, who
 * signs, and the `intentId`, which the client may choose.
 */
import { type Address, isAddressEqual, keccak256, stringToBytes } from 'viem';
import type { PaymentIntent } from '../../../../prisma/client.ts';
import type { AuthorizationPlan, PlannedPayment } from '../../../checkout/authorization-plan.ts';
import { bytes32ToUuid, type PaymentTerms, termsFromJson, termsHash } from '../../../escrow/terms.ts';
import { requestIdOf } from '../requirement-quote.ts';
import { type Refusal, type SignedAuthorization, signedAuthorizationSchema } from '../x402-types.ts';
import type { EvaluatedPayment } from '../x402-world.ts';

/** The time that a settlement needs at least until the authorization ends. */
const LEAST_SECONDS = 6n;

export type EscrowPayment = {
  terms: PaymentTerms;
  termsHash: string;
  signed: SignedAuthorization;
  planned: PlannedPayment;
  plan: Extract<AuthorizationPlan, { kind: 'receive' }>;
};

export type ReadEscrowPayment = { payment: EscrowPayment; refusal: null } | { payment: null; refusal: Refusal };

/** Reads the payload and compares it with the offer. Does not check the time, the signature or the balance. */
export function readEscrowPayment(evaluated: EvaluatedPayment): ReadEscrowPayment {
  const parsed = signedAuthorizationSchema.safeParse(evaluated.payment.payload);
  if (!parsed.success) return refuse('invalid_payload', 'The payload has no authorization and signature of EIP-3009.');
  const signed = parsed.data;
  const { authorization, intentId } = signed;
  if (intentId !== undefined && bytes32ToUuid(intentId) !== null) {
    return refuse('invalid_payload', 'The intentId must be random: its first 16 bytes are zero.');
  }
  const terms = termsOf(evaluated, authorization.from, intentId);
  const id = termsHash(terms);
  const payer = authorization.from;
  if (!isAddressEqual(authorization.to, evaluated.chain.escrow)) {
    return refuse('invalid_escrow_payload_recipient', 'The authorization does not pay the escrow.', payer);
  }
  if (authorization.value !== terms.amount) {
    return refuse(
      'invalid_escrow_payload_value',
      `The authorization is for another value than ${terms.amount}.`,
      payer,
    );
  }
  if (authorization.validAfter !== 0n) {
    return refuse('invalid_escrow_payload_valid_after', 'The authorization must be valid from 0.', payer);
  }
  if (authorization.validBefore > BigInt(terms.authorizeBy)) {
    const message = `The authorization must end by ${terms.authorizeBy}, the authorizeBy of the terms.`;
    return refuse('invalid_escrow_payload_valid_before', message, payer);
  }
  if (authorization.nonce !== id.toLowerCase()) {
    return refuse('invalid_escrow_payload_nonce', 'The nonce is not the hash of the terms.', payer);
  }
  const plan = { kind: 'receive' as const, validBefore: Number(authorization.validBefore) };
  const planned = { chainId: evaluated.chain.chainId, escrow: evaluated.chain.escrow, terms, token: evaluated.token };
  return { payment: { terms, termsHash: id, signed, planned, plan }, refusal: null };
}

/** Hash of the `requestId` in the requirements, or null. */
export function requestHashOf({ requirements }: Pick<EvaluatedPayment, 'requirements'>): string | null {
  const requestId = requestIdOf(requirements);
  return requestId === null ? null : keccak256(stringToBytes(requestId));
}

/** Why a payment that was taken does not answer this request, or null: it was submitted with another `requestId`. */
export function requestFault(
  { x402RequestHash }: Pick<PaymentIntent, 'x402RequestHash'>,
  evaluated: Pick<EvaluatedPayment, 'requirements'>,
): Refusal | null {
  if (x402RequestHash === requestHashOf(evaluated)) return null;
  return { reason: 'authorization_used', message: 'This authorization was submitted for another request before.' };
}

/** Why the authorization cannot be relayed any more, or null. `now` is in Unix seconds. */
export function endingFault({ signed }: EscrowPayment, now: number): Refusal | null {
  const { from: payer, validBefore } = signed.authorization;
  if (validBefore >= BigInt(now) + LEAST_SECONDS) return null;
  const message = `The authorization ends at ${validBefore}, which is too soon at ${now}.`;
  return { reason: 'invalid_escrow_payload_valid_before', message, payer };
}

function termsOf({ requirements }: EvaluatedPayment, payer: Address, intentId: string | undefined): PaymentTerms {
  const { terms } = requirements.extra;
  const offered = typeof terms === 'object' && terms !== null ? terms : {};
  return termsFromJson({ ...offered, payer, ...(intentId === undefined ? {} : { intentId }) });
}

function refuse(reason: string, message: string, payer: Address | null = null): ReadEscrowPayment {
  return { payment: null, refusal: { reason, message, payer } };
}
