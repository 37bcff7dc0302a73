import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { getAddress, toHex, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { type QuotedIntent, quotedTerms, quoteHash } from '../../src/checkout/quoted-terms.ts';
import { toDecimal } from '../../src/prices/base-units.ts';
import { priceEvidence, printEvidence, readEvidence } from '../../src/prices/price-evidence.ts';

const DAY = 86_400;
const address = (byte: number) => getAddress(toHex(byte, { size: 20 }));

function intentOf(settings: { timelockDuration: number; disputeStartDuration: number }): QuotedIntent {
  return {
    id: crypto.randomUUID(),
    amount: toDecimal(10n),
    currency: 'USD',
    platformFeeBps: 100,
    captureMode: 'AUTOMATIC',
    timelockDuration: settings.timelockDuration,
    disputeStartDuration: settings.disputeStartDuration,
  };
}

function termsOf(request: {
  timelockDuration: number;
  disputeStartDuration: number;
  captureDeadline: number;
  hasArbiter: boolean;
  base: number;
  quoteSeconds: number;
}) {
  return quotedTerms({
    chainId: 31337,
    quoteId: crypto.randomUUID(),
    intent: intentOf(request),
    app: { captureDeadline: request.captureDeadline, disputeTimeout: 30 * DAY, disputeTimeoutPayerBps: 10_000 },
    payer: address(1),
    merchant: address(2),
    token: zeroAddress,
    amount: 5n,
    evidence: [],
    base: request.base,
    quoteSeconds: request.quoteSeconds,
    parties: { operator: address(3), arbiter: request.hasArbiter ? address(4) : zeroAddress, feeRecipient: address(5) },
  });
}

describe('the terms of a quote', () => {
  it('keep the bounds of the contract, whatever the settings', () => {
    fc.assert(
      fc.property(
        fc.record({
          timelockDuration: fc.integer({ min: 0, max: 180 * DAY }),
          disputeStartDuration: fc.integer({ min: 0, max: 180 * DAY }),
          captureDeadline: fc.integer({ min: 0, max: 90 * DAY }),
          hasArbiter: fc.boolean(),
          base: fc.integer({ min: 1_700_000_000, max: 2_000_000_000 }),
          quoteSeconds: fc.integer({ min: 1, max: DAY }),
        }),
        (settings) => {
          const terms = termsOf(settings);
          expect(terms.authorizeBy).toBe(settings.base + settings.quoteSeconds + 120);
          expect(terms.captureBy).toBeGreaterThanOrEqual(terms.authorizeBy);
          expect(terms.captureBy).toBeLessThanOrEqual(settings.base + 90 * DAY);
          expect(terms.disputeWindow).toBeLessThanOrEqual(terms.timelock);
          expect(terms.arbiter === zeroAddress).toBe(terms.disputeWindow === 0);
        },
      ),
    );
  });

  it('are bound to their chain, the quote, its base units and the fiat amount behind them', () => {
    const intent = { amount: toDecimal(10n), currency: 'USD' };
    const quoteId = crypto.randomUUID();
    const at = new Date('2026-01-01T00:00:00Z');
    const price = (priceUsd: string) => ({
      priceUsd: new Decimal(priceUsd),
      cachedAt: at,
      sources: [
        { source: 'kraken', priceUsd: new Decimal(priceUsd), at },
        { source: 'coingecko', priceUsd: new Decimal('0.9999'), at },
      ],
    });
    const evidence = priceEvidence({ USDC: price('0.9998') });
    const bound = { chainId: 31337, quoteId, amount: 5n, intent, evidence };
    const hash = quoteHash(bound);
    expect(quoteHash({ ...bound })).toBe(hash);
    expect(quoteHash({ ...bound, quoteId: crypto.randomUUID() })).not.toBe(hash);
    expect(quoteHash({ ...bound, chainId: 31338 })).not.toBe(hash);
    expect(quoteHash({ ...bound, amount: 6n })).not.toBe(hash);
    expect(quoteHash({ ...bound, intent: { ...intent, currency: 'EUR' } })).not.toBe(hash);
    expect(quoteHash({ ...bound, evidence: priceEvidence({ USDC: price('0.9997') }) })).not.toBe(hash);
    expect(quoteHash({ ...bound, evidence: priceEvidence({ USDT: price('0.9998') }) })).not.toBe(hash);
    expect(quoteHash({ ...bound, evidence: [] })).not.toBe(hash);
  });

  it('rest on evidence that prints in one way only', () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const price = (priceUsd: string, source: string) => ({
      priceUsd: new Decimal(priceUsd),
      cachedAt: at,
      sources: [{ source, priceUsd: new Decimal(priceUsd), at }],
    });
    const usd = { priceUsd: new Decimal(1), cachedAt: at, sources: [] };
    const prices = { USDC: price('1e-7', 'kraken'), EUR: price('1.1', 'coingecko'), USD: usd };
    expect(printEvidence(priceEvidence(prices))).toBe(
      'EUR 1.1\n- coingecko 1.1 2026-01-01T00:00:00.000Z\nUSDC 0.0000001\n- kraken 0.0000001 2026-01-01T00:00:00.000Z\n',
    );
    expect(readEvidence(JSON.parse(JSON.stringify(priceEvidence(prices))))).toEqual(priceEvidence(prices));
  });
});
