/**
 * x402: a server answers a request with 402 and its payment requirements, and the client repeats the request with a signed
 * payment. The shapes are those of version 2 of the protocol (https://github.com/coinbase/x402). This gateway is the facilitator:
 * it issues requirements to the resource servers of its merchants, verifies payments and settles them.
 *
 * Two schemes: `exact` moves tokens straight to the merchant's address (EIP-3009 `transferWithAuthorization`) and cannot be refunded
 * by the gateway. `escrow`, a scheme of Sluice, is an ordinary payment of the escrow contract: the client signs EIP-3009
 * `receiveWithAuthorization` to the contract, whose nonce is the hash of the complete terms.
 *
 * Authority: the quote's MAC for what was offered, `payment_terms` for what was agreed, the chain for what was paid.
 */
import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';
import { parseChainName } from '../../chains/account-id.ts';

export const X402_VERSION = 2;

export const x402Schemes = ['exact', 'escrow'] as const;
export type X402Scheme = (typeof x402Schemes)[number];

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]).transform((text) => getAddress(text));
const bytes32 = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)])
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const digits = z.string().regex(/^\d{1,78}$/, 'a decimal integer');

/** An offer to be paid in one way. `amount` is in base units. Fields that this version does not know are kept, because the quote covers them. */
export const requirementsSchema = z.looseObject({
  scheme: z.string().max(64),
  network: z.string().max(64),
  asset: z.string().max(128),
  amount: digits,
  payTo: z.string().max(128),
  maxTimeoutSeconds: z.int().positive(),
  extra: z.record(z.string(), z.unknown()).default({}),
});
export type PaymentRequirements = z.infer<typeof requirementsSchema>;

/** Requirements that this gateway issues. */
export type Offer = {
  scheme: X402Scheme;
  network: string;
  asset: string;
  amount: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
};

export const paymentPayloadSchema = z.looseObject({
  x402Version: z.literal(X402_VERSION),
  resource: z.looseObject({ url: z.string().max(2048) }).nullish(),
  accepted: requirementsSchema,
  payload: z.record(z.string(), z.unknown()),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
export type PaymentPayload = z.infer<typeof paymentPayloadSchema>;

/** EIP-3009, as `exact` and `escrow` carry it in `payload`. Times are in Unix seconds. */
export const signedAuthorizationSchema = z.object({
  authorization: z.object({
    from: address,
    to: address,
    value: digits.transform((text) => BigInt(text)),
    validAfter: digits.transform((text) => BigInt(text)),
    validBefore: digits.transform((text) => BigInt(text)),
    nonce: bytes32,
  }),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2}){1,8192}$/)
    .transform((text): Hex => `0x${text.slice(2)}`),
  /**
   * `escrow` only. The client may replace `intentId` of the terms with random bytes of its own, so that it can pay one and the same
   * offer several times; without it, a second payment by the same wallet has the nonce of the first.
   */
  intentId: bytes32.optional(),
});
export type SignedAuthorization = z.infer<typeof signedAuthorizationSchema>;

/**
 * Identifies one attempt of a resource server to be paid for one response. The server chooses it at random and never shows it to a client,
 * so that it can request a lost response again. For every other attempt with the same payment, the response is `replayed`.
 */
export const attemptIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,64}$/, '16 to 64 letters, digits, hyphens or underscores');

/** Whether a success that was reported to one attempt may be reported to this one as if for the first time. */
export function isSameAttempt(answeredTo: string | null, attemptId: string | null): boolean {
  return attemptId !== null && answeredTo === attemptId;
}

/** Absent fields are null. */
export type VerifyAnswer = {
  isValid: boolean;
  invalidReason: string | null;
  invalidMessage: string | null;
  payer: Address | null;
};

/**
 * Absent fields are null; `transaction` is empty while it is not known. `replayed`: the same success has been reported to another attempt,
 * so a resource server must only deliver if it is false. `retryable`: a repeated call may have another outcome.
 */
export type SettleAnswer = {
  success: boolean;
  transaction: string;
  network: string;
  payer: Address | null;
  amount: string | null;
  errorReason: string | null;
  errorMessage: string | null;
  retryable: boolean;
  replayed: boolean;
  paymentIntentId: string | null;
};

export function validAnswer(payer: Address): VerifyAnswer {
  return { isValid: true, invalidReason: null, invalidMessage: null, payer };
}

/** A reason of the protocol, in snake_case, and a sentence. */
export type Refusal = { reason: string; message: string; payer?: Address | null };

export function invalidAnswer({ reason, message, payer = null }: Refusal): VerifyAnswer {
  return { isValid: false, invalidReason: reason, invalidMessage: message, payer };
}

/** A payment that was refused before anything was written or sent. */
export function refusedSettlement(network: string, { reason, message, payer = null }: Refusal): SettleAnswer {
  return {
    success: false,
    transaction: '',
    network,
    payer,
    amount: null,
    errorReason: reason,
    errorMessage: message,
    retryable: false,
    replayed: false,
    paymentIntentId: null,
  };
}

/** The CAIP-2 name of an EVM chain. */
export function networkOf(chainId: number): `eip155:${number}` {
  return `eip155:${chainId}`;
}

/** The id of an EVM chain by its CAIP-2 name, or null. */
export function chainIdOf(network: string): number | null {
  const name = parseChainName(network);
  return name?.namespace === 'eip155' ? name.chainId : null;
}
