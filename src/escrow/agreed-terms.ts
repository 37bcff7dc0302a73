/** The fields that the terms of every chain family share, read from `payment_terms`. */
import { solanaTermsFromJson } from './solana/solana-terms.ts';
import { termsFromJson } from './terms.ts';

/** Amount in base units, spans in seconds; `captureBy` in unix seconds, or null if the payment is captured at once. */
export type AgreedTerms = { amount: bigint; timelock: number; disputeTimeout: number; captureBy: number | null };

/** Throws a ZodError for anything other than terms. */
export function agreedTerms(json: unknown): AgreedTerms {
  const isOnSolana = typeof json === 'object' && json !== null && 'vault' in json;
  if (isOnSolana) return { ...solanaTermsFromJson(json), captureBy: null };
  return termsFromJson(json);
}
