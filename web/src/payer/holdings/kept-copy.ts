/**
 * This browser's copy of a wallet's payments and consents: their terms, with which the contract can be queried and called when no other
 * source is available. Names and states are not kept. Ids are computed again and never trusted.
 */
import type { Address } from 'viem';
import { z } from 'zod';
import { consentFromJson, consentHash, consentToJson } from '../../../../src/escrow/consent.ts';
import { ESCROW_EDITION } from '../../../../src/escrow/escrow-domain.ts';
import { firstEditionAddress } from '../../../../src/escrow/first-edition.ts';
import { termsFromJson, termsHash, termsToJson } from '../../../../src/escrow/terms.ts';
import { type Holdings, holdingKey, noHoldings } from './holding.ts';

const MOST = 200;

/** The contract for which the ids were computed. A copy for the contract's first edition is no longer of use. */
const copySchema = z.object({
  edition: z.literal(ESCROW_EDITION),
  payments: z.array(z.object({ chainId: z.int(), terms: z.unknown() })).max(MOST),
  consents: z.array(z.object({ chainId: z.int(), consent: z.unknown() })).max(MOST),
});

export function printCopy(holdings: Holdings): string {
  const isCurrent = ({ escrow }: { escrow: Address }) => escrow !== firstEditionAddress;
  return JSON.stringify({
    edition: ESCROW_EDITION,
    payments: holdings.payments
      .filter(isCurrent)
      .slice(0, MOST)
      .map(({ chainId, terms }) => ({ chainId, terms: termsToJson(terms) })),
    consents: holdings.consents
      .filter(isCurrent)
      .slice(0, MOST)
      .map(({ chainId, consent }) => ({ chainId, consent: consentToJson(consent) })),
  });
}

/** Returns nothing for a text that is not a copy, and otherwise only the entries of this wallet on known chains. */
export function readCopy(
  text: string | null,
  { wallet, escrowOf }: { wallet: Address; escrowOf: (chainId: number) => Address | undefined },
): Holdings {
  try {
    const copy = copySchema.parse(JSON.parse(text ?? ''));
    const isOwn = (payer: Address) => payer.toLowerCase() === wallet.toLowerCase();
    const payments = copy.payments.flatMap(({ chainId, terms: json }) => {
      const escrow = escrowOf(chainId);
      const terms = termsFromJson(json);
      if (!escrow || !isOwn(terms.payer)) return [];
      const id = termsHash(terms);
      return [{ key: holdingKey(chainId, id), chainId, escrow, id, terms, reported: null }];
    });
    const consents = copy.consents.flatMap(({ chainId, consent: json }) => {
      const escrow = escrowOf(chainId);
      const consent = consentFromJson(json);
      if (!escrow || !isOwn(consent.payer)) return [];
      const id = consentHash(consent);
      return [{ key: holdingKey(chainId, id), chainId, escrow, id, consent, reported: null }];
    });
    return { ...noHoldings, payments, consents };
  } catch {
    return noHoldings;
  }
}
