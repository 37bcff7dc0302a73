/**
 * The terms of a payment on Solana: the quote, the address to pay, and how the payment is distributed. This gateway enforces them, and
 * nothing on the chain does. Their hash is the payment's id in all tables, as on EVM chains.
 *
 * A deposit that no terms cover (too little, too late, another token, a second payment, an excess) has terms of its own with `stray`
 * set. It is entered in the ledger and returned like any payment that does not count.
 */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { z } from 'zod';

/** Why a deposit does not count. */
export const strayReasons = ['SHORT', 'EXCESS', 'SECOND', 'LATE', 'WRONG_TOKEN'] as const;
export type StrayReason = (typeof strayReasons)[number];

export type SolanaTerms = {
  /** The intent's UUID. */
  intentId: string;
  /** The wallet for which the quote was made, or the merchant's if none was named. Anyone may pay. */
  payer: string;
  /** The merchant's wallet; tokens go to its associated token account. */
  merchant: string;
  /** Null for SOL. */
  mint: string | null;
  /** Base units. */
  amount: bigint;
  /** Holds the vault's key: the vault itself for SOL. */
  vaultOwner: string;
  /** The account to which the payment is made. */
  vault: string;
  reference: string;
  /** Unix seconds of the last block in which a payment counts. */
  payBy: number;
  /** Seconds. */
  timelock: number;
  disputeWindow: number;
  disputeTimeout: number;
  timeoutPayerBps: number;
  feeBps: number;
  /** The wallet that receives the fee. Null if there is no fee. */
  feeRecipient: string | null;
  /** Binds the terms to the quote that the payer was shown; 0x and 64 hex digits. */
  quoteHash: string;
  /** Set for a deposit that no quote covers: its transaction, and why it is returned. */
  stray: { signature: string; reason: StrayReason } | null;
};

const base58Bytes = (length: number) =>
  z.string().refine((text) => bytesOf(text) === length, `base58 of ${length} bytes`);
const address = base58Bytes(32);
const unsigned = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));
const small = z
  .string()
  .regex(/^\d{1,13}$/)
  .transform(Number);

const termsSchema = z.object({
  intentId: z.uuid(),
  payer: address,
  merchant: address,
  mint: address.nullable(),
  amount: unsigned,
  vaultOwner: address,
  vault: address,
  reference: address,
  payBy: small,
  timelock: small,
  disputeWindow: small,
  disputeTimeout: small,
  timeoutPayerBps: small,
  feeBps: small,
  feeRecipient: address.nullable(),
  quoteHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  stray: z.object({ signature: base58Bytes(64), reason: z.enum(strayReasons) }).nullable(),
});

const hashedFields = [
  'intentId',
  'payer',
  'merchant',
  'mint',
  'amount',
  'vaultOwner',
  'vault',
  'reference',
  'payBy',
  'timelock',
  'disputeWindow',
  'disputeTimeout',
  'timeoutPayerBps',
  'feeBps',
  'feeRecipient',
  'quoteHash',
] as const satisfies (keyof SolanaTerms)[];

/** The payment's id: SHA-256 over chain and terms in a fixed order; 0x and 64 hex digits. */
export function solanaTermsHash(request: { chainId: number; terms: SolanaTerms }): string {
  const { chainId, terms } = request;
  const stray = terms.stray ? [terms.stray.signature, terms.stray.reason] : [];
  const values = hashedFields.map((name) => (terms[name] === null ? null : String(terms[name])));
  const text = JSON.stringify(['sluice/solana/terms/v1', chainId, ...values, ...stray]);
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

export type SolanaTermsJson = { [Name in keyof SolanaTerms]: SolanaTermsValue<Name> };
type SolanaTermsValue<Name extends keyof SolanaTerms> = SolanaTerms[Name] extends bigint | number
  ? string
  : SolanaTerms[Name];

/** Terms as kept in `payment_terms`: every integer a decimal string. */
export function solanaTermsToJson(terms: SolanaTerms): SolanaTermsJson {
  return {
    ...terms,
    amount: String(terms.amount),
    payBy: String(terms.payBy),
    timelock: String(terms.timelock),
    disputeWindow: String(terms.disputeWindow),
    disputeTimeout: String(terms.disputeTimeout),
    timeoutPayerBps: String(terms.timeoutPayerBps),
    feeBps: String(terms.feeBps),
  };
}

/** Reads what `solanaTermsToJson` wrote. Throws a ZodError on anything else. */
export function solanaTermsFromJson(json: unknown): SolanaTerms {
  return termsSchema.parse(json);
}

/** Whether a `payment_terms` row belongs to a deposit that no quote covers. EVM terms never do. */
export function strayOf(json: unknown): SolanaTerms['stray'] {
  const parsed = termsSchema.safeParse(json);
  return parsed.success ? parsed.data.stray : null;
}

function bytesOf(text: string): number {
  try {
    return base58.decode(text).length;
  } catch {
    return 0;
  }
}
