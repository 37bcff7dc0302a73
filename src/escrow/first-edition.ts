/**
 * The contract's first edition, of which finished payments are still shown and verified: its ids were EIP-712 digests, which
 * named chain and contract. Nothing is signed for it or sent to it any more. `stateOf` and the events of payments are the
 * same as in the current edition.
 */
import { type Address, type Hex, hashTypedData } from 'viem';
import { consentTypedData, type RecurringConsent } from './consent.ts';
import { type PaymentTerms, termsTypedData } from './terms.ts';

/** Its address on every chain. */
export const firstEditionAddress: Address = '0xAB57F335733cD2e34962BCC4c754c4765952C3db';

/** The id that a payment had. */
export function firstEditionTermsHash({ chainId, terms }: { chainId: number; terms: PaymentTerms }): Hex {
  const typed = termsTypedData({ chainId, escrow: firstEditionAddress, terms });
  return hashTypedData({ ...typed, domain: { ...typed.domain, version: '1' } });
}

/** The id that a consent had. */
export function firstEditionConsentHash({ chainId, consent }: { chainId: number; consent: RecurringConsent }): Hex {
  const typed = consentTypedData({ chainId, escrow: firstEditionAddress, consent });
  return hashTypedData({ ...typed, domain: { ...typed.domain, version: '1' } });
}
