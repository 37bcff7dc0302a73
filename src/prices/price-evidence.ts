/**
 * The evidence for a quote's prices: for each asset, the price that was used, and the price and time that each source reported. It is
 * stored with the quote, and its hash is part of the terms that operator and payer sign, so that neither can claim a different price
 * later. `docs/prices.md` describes how to verify it.
 */
import { z } from 'zod';
import type { Price } from './price-source.ts';

const usd = z.string().regex(/^\d{1,40}(\.\d{1,40})?$/);

export const priceEvidenceSchema = z.array(
  z.object({
    /** A token's symbol or a fiat currency's code. */
    asset: z.string(),
    /** The price that was used, in USD for one whole unit, in plain digits. */
    priceUsd: usd,
    sources: z.array(z.object({ source: z.string(), priceUsd: usd, at: z.iso.datetime() })),
  }),
);

/** Sorted by asset, then by source. */
export type PriceEvidence = z.infer<typeof priceEvidenceSchema>;

/** Returns the evidence for the assets of a quote. USD needs none, because prices are in USD. */
export function priceEvidence(prices: Record<string, Price>): PriceEvidence {
  return Object.entries(prices)
    .filter(([asset]) => asset !== 'USD')
    .sort(([left], [right]) => compare(left, right))
    .map(([asset, price]) => ({
      asset,
      priceUsd: price.priceUsd.toFixed(),
      sources: price.sources
        .map(({ source, priceUsd, at }) => ({ source, priceUsd: priceUsd.toFixed(), at: at.toISOString() }))
        .sort((left, right) => compare(left.source, right.source)),
    }));
}

/** Prints the text that is hashed: a line `asset priceUsd` for each asset, followed by its lines `- source priceUsd at`. */
export function printEvidence(evidence: PriceEvidence): string {
  return evidence
    .flatMap(({ asset, priceUsd, sources }) => [
      `${asset} ${priceUsd}\n`,
      ...sources.map((one) => `- ${one.source} ${one.priceUsd} ${one.at}\n`),
    ])
    .join('');
}

/** Reads the evidence column of a quote. It is empty for quotes that were created before evidence was stored. */
export function readEvidence(column: unknown): PriceEvidence {
  return priceEvidenceSchema.parse(column);
}

/** Compares by code units, so that the order does not depend on the locale. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
