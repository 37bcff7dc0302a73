/** The sentences and headings of a receipt: where the money is, what was disputed, and what was refunded. */
import { describe, expect, it } from 'vitest';
import { disputeHead, receiptWords, refundHead } from '../../../web/src/checkout/cards/receipt-words.ts';
import { currentRefunds, refundState, refundSums } from '../../../web/src/refunds/refund-summary.ts';

describe('a receipt', () => {
  const state = { isCustodial: false, disputeSeconds: 86_400, isPaidOut: false, dispute: null };

  it.each([
    ['paid', {}, 'paid'],
    ['paid', { disputeSeconds: 0 }, 'undisputed'],
    ['paid', { isCustodial: true }, 'custody'],
    ['paid', { isPaidOut: true }, 'settled'],
    ['paid', { isPaidOut: true, isCustodial: true }, 'settled'],
    ['paid', { dispute: 'OPEN' }, 'disputed'],
    ['paid', { isPaidOut: true, dispute: 'RESOLVED_MERCHANT' }, 'decidedForMerchant'],
    ['paid', { isPaidOut: true, dispute: 'RESOLVED_SPLIT' }, 'decidedSplit'],
    ['held', {}, 'held'],
    ['held', { isCustodial: true }, 'custodyHeld'],
    ['refunded', { isCustodial: true }, 'refunded'],
    ['refunded', { dispute: 'OPEN' }, 'refunded'],
    ['refunded', { dispute: 'RESOLVED_PAYER' }, 'decidedForPayer'],
    ['subscribed', { isPaidOut: true }, 'subscribed'],
  ] as const)('of %s with %j shows %s', (outcome, changes, words) => {
    expect(receiptWords(outcome, { ...state, ...changes })).toBe(words);
  });

  it.each([
    ['paid', null, null],
    ['paid', 'OPEN', 'disputed'],
    ['paid', 'RESOLVED_SPLIT', 'decided'],
    ['refunded', 'RESOLVED_PAYER', 'decided'],
    ['refunded', 'OPEN', null],
  ] as const)('of %s with the dispute %s has the heading %s', (outcome, dispute, head) => {
    expect(disputeHead(outcome, dispute)).toBe(head);
  });

  it.each([
    ['paid', 0n, 0n, null],
    ['paid', 5n, 0n, 'partlyRefunded'],
    ['paid', 5n, 1n, 'refundUnderWay'],
    ['subscribed', 0n, 1n, 'refundUnderWay'],
    ['refunded', 5n, 0n, null],
    ['trial', 0n, 0n, null],
  ] as const)('of %s with %s refunded and %s pending has the heading %s', (outcome, refunded, underWay, head) => {
    expect(refundHead(outcome, { refunded, underWay })).toBe(head);
  });

  it('omits failed refunds that were followed by another one', () => {
    const refund = (status: 'PENDING' | 'CONFIRMED' | 'FAILED') => ({ status, amount: '1', isUndelivered: false });
    const statuses = (...given: Parameters<typeof refund>[0][]) =>
      currentRefunds(given.map(refund)).map(({ status }) => status);
    expect(statuses('FAILED', 'CONFIRMED', 'FAILED')).toEqual(['CONFIRMED', 'FAILED']);
    expect(statuses('FAILED', 'PENDING')).toEqual(['PENDING']);
    expect(statuses('FAILED')).toEqual(['FAILED']);
    expect(refundState({ status: 'CONFIRMED', isUndelivered: true })).toBe('WAITING');
    expect(refundSums([refund('CONFIRMED'), refund('PENDING'), refund('FAILED')])).toEqual({
      refunded: 1n,
      underWay: 1n,
    });
  });
});
