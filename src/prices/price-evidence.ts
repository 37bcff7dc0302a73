/**
 * What a quote's prices rest on: for each asset the price that was used, and what each source said of it and when. It is
 * kept with the quote, and its hash is in the terms that operator and payer sign, so that neither can claim another
 * price later. `docs/prices.md` tells how to check one.
 */
import { z } from 'zod';
import type { Price } from './price-source.ts';

const usd = z.string().regex(/^\d{1,40}(\.\d{1,40})?$/);

const evidenceSchema = z.array(
  z.object({
    /** A token's symbol or a fiat currency's code. */
    asset: z.string(),
    /** The price that was used, USD for one whole unit, plain digits. */
    priceUsd: usd,
    sources: z.array(z.object({ source: z.string(), priceUsd: usd, at: z.iso.datetime() })),
  }),
);

/** By asset, and within one by source. */
export type PriceEvidence = z.infer<typeof evidenceSchema>;

/** Of the assets that a quote was reckoned with. USD needs none: it is what prices are told in. */
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

/** The text that is hashed: a line `asset priceUsd` for each asset, each followed by its lines `- source priceUsd at`. */
export function printEvidence(evidence: PriceEvidence): string {
  return evidence
    .flatMap(({ asset, priceUsd, sources }) => [
      `${asset} ${priceUsd}\n`,
      ...sources.map((one) => `- ${one.source} ${one.priceUsd} ${one.at}\n`),
    ])
    .join('');
}

/** Of a quote's column; empty for quotes that were made before evidence was kept. */
export function readEvidence(column: unknown): PriceEvidence {
  return evidenceSchema.parse(column);
}

/** By code units, so that the order does not depend on a language. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
