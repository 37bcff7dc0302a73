import fc from 'fast-check';
import { getAddress, toHex, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { type QuotedIntent, quotedTerms, quoteHash } from '../../src/checkout/quoted-terms.ts';
import { toDecimal } from '../../src/prices/base-units.ts';

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
    quoteId: crypto.randomUUID(),
    intent: intentOf(request),
    app: { captureDeadline: request.captureDeadline, disputeTimeout: 30 * DAY, disputeTimeoutPayerBps: 10_000 },
    payer: address(1),
    merchant: address(2),
    token: zeroAddress,
    amount: 5n,
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

  it('are bound to the quote, its base units and the fiat amount behind them', () => {
    const intent = { amount: toDecimal(10n), currency: 'USD' };
    const quoteId = crypto.randomUUID();
    const hash = quoteHash({ quoteId, amount: 5n, intent });
    expect(quoteHash({ quoteId, amount: 5n, intent })).toBe(hash);
    expect(quoteHash({ quoteId: crypto.randomUUID(), amount: 5n, intent })).not.toBe(hash);
    expect(quoteHash({ quoteId, amount: 6n, intent })).not.toBe(hash);
    expect(quoteHash({ quoteId, amount: 5n, intent: { ...intent, currency: 'EUR' } })).not.toBe(hash);
  });
});
