/**
 * Identifies a payment on chain. A payment's id is the hash of its terms, which name no chain: the same terms have the same id on
 * every chain and are a separate payment on each. Therefore nothing is looked up by the id alone.
 */
import type { PaymentIntent } from '../../prisma/client.ts';

export type PaymentKey = { chainId: number; termsHash: string };

type Accepting = Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>;

/** The payment that counts for an intent; null if none does. */
export function acceptedKey(intent: Accepting): PaymentKey | null {
  const { authorizationChainId: chainId, acceptedTermsHash: termsHash } = intent;
  return chainId === null || termsHash === null ? null : { chainId, termsHash };
}

/** Whether a payment is the one that counts for the intent. */
export function isAccepted(intent: Accepting, key: { chainId: number; termsHash: string | null }): boolean {
  const accepted = acceptedKey(intent);
  return accepted !== null && accepted.chainId === key.chainId && accepted.termsHash === key.termsHash;
}

/** A text that is the same for the same payment only. */
export function keyText({ chainId, termsHash }: { chainId: number; termsHash: string | null }): string {
  return `${chainId}:${termsHash}`;
}
