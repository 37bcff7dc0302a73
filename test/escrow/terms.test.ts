import fc from 'fast-check';
import { getAddress, type Hex, toHex, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { consentFromJson, consentToJson, type RecurringConsent } from '../../src/escrow/consent.ts';
import { parseEscrowEvent, toAbiJson } from '../../src/escrow/escrow-event.ts';
import { bytes32ToUuid, type PaymentTerms, termsFromJson, termsToJson, uuidToBytes32 } from '../../src/escrow/terms.ts';

const bytes = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((value): Hex => toHex(value, { size }));
const address = bytes(20).map((value) => getAddress(value));
const bits = (size: number) => fc.integer({ min: 0, max: 2 ** size - 1 });

const terms: fc.Arbitrary<PaymentTerms> = fc.record({
  intentId: bytes(32),
  payer: address,
  merchant: address,
  token: address,
  amount: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  authorizeBy: bits(40),
  captureBy: bits(40),
  timelock: bits(32),
  disputeWindow: bits(32),
  disputeTimeout: bits(32),
  timeoutPayerBps: bits(16),
  feeBps: bits(16),
  feeRecipient: address,
  operator: address,
  arbiter: address,
  quoteHash: bytes(32),
  captureOnAuthorize: fc.boolean(),
});

describe('payment terms', () => {
  it('survive being stored as JSON', () => {
    fc.assert(
      fc.property(terms, (value) => {
        expect(termsFromJson(JSON.parse(JSON.stringify(termsToJson(value))))).toEqual(value);
      }),
    );
  });

  it('encode a UUID in their intent ID, and decode it', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(bytes32ToUuid(uuidToBytes32(id))).toBe(id);
      }),
    );
    expect(bytes32ToUuid(`0x${'1'.repeat(64)}`)).toBeNull();
  });

  it('are decoded from an event unchanged', () => {
    fc.assert(
      fc.property(terms, (value) => {
        const args = {
          id: value.quoteHash,
          intentId: value.intentId,
          payer: value.payer,
          terms: value,
          left: value.amount,
        };
        const event = parseEscrowEvent('Authorized', JSON.parse(JSON.stringify(toAbiJson(args))));
        expect(event).toEqual({ kind: 'Authorized', ...args });
      }),
    );
  });
});

describe('a recurring consent', () => {
  it('survives being stored as JSON', () => {
    const consent: RecurringConsent = {
      subscriptionId: `0x${'ab'.repeat(32)}`,
      payer: getAddress(`0x${'01'.repeat(20)}`),
      merchant: getAddress(`0x${'02'.repeat(20)}`),
      token: getAddress(`0x${'03'.repeat(20)}`),
      capPerPeriod: 2n ** 127n,
      start: 1_767_225_600,
      unit: 1,
      count: 3,
      end: 0,
      feeBps: 100,
      feeRecipient: zeroAddress,
      operator: zeroAddress,
      arbiter: zeroAddress,
      timelock: 5,
      disputeWindow: 0,
      disputeTimeout: 0,
      timeoutPayerBps: 10_000,
    };
    expect(consentFromJson(consentToJson(consent))).toEqual(consent);
  });
});

describe('events', () => {
  it('of other contracts are ignored', () => {
    expect(parseEscrowEvent('Transfer', { from: zeroAddress })).toBeNull();
    expect(parseEscrowEvent('Captured', { id: '0x12' })).toBeNull();
    expect(parseEscrowEvent('Captured', null)).toBeNull();
  });
});
