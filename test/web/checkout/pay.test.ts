/** Decisions of the hosted page: the order of payment options, error messages, and the fields of a link. */
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/errors.ts';
import { ApiError, networkFault, printedFault } from '../../../web/src/api/api-error.ts';
import { beginSentence, isInactive } from '../../../web/src/checkout/link/begin-fault.ts';
import { beginInput, beginQuestions, isSoldOut, typedQuantity } from '../../../web/src/checkout/link/begin-input.ts';
import { afterBeginFault, type BeginKey, beginKey } from '../../../web/src/checkout/link/begin-key.ts';
import { apiSentence } from '../../../web/src/checkout/pay/api-fault.ts';
import { afterPaymentEvent, noPayment, type PaymentState } from '../../../web/src/checkout/pay/payment-state.ts';
import { unseenAt } from '../../../web/src/checkout/pay/unseen.ts';
import { lacksGas, type Option, type Way, waysFor } from '../../../web/src/checkout/pay/ways.ts';
import { newer } from '../../../web/src/checkout/session/newer.ts';
import { readAddress } from '../../../web/src/checkout/session/page-address.ts';
import { isLacking, keepOrder, type Network, shownWays } from '../../../web/src/checkout/ways/order-ways.ts';
import { walletFault } from '../../../web/src/wallet/evm/wallet-fault.ts';

const option = (tokenKey: string, chainId: number, methods: Option['methods']): Option => ({
  tokenKey,
  chainId,
  chainName: `Chain ${chainId}`,
  symbol: tokenKey,
  decimals: 6,
  cryptoAmount: '100',
  methods,
});
const nativeKeys = new Set(['ETH-1']);
const options = [
  option('USDT-1', 1, ['DIRECT', 'APPROVAL']),
  option('USDC-1', 1, ['DIRECT', 'PERMIT', 'APPROVAL']),
  option('ETH-1', 1, ['DIRECT']),
  option('USDC-2', 2, ['DIRECT', 'PERMIT', 'APPROVAL']),
  option('USDC-3', 3, ['DIRECT', 'PERMIT', 'APPROVAL']),
];
const held = (tokens: [string, bigint][], coin: bigint | undefined) => ({ tokens: new Map(tokens), coin });

describe('the order of payment options', () => {
  const order = (request: Partial<Parameters<typeof waysFor>[0]>) =>
    waysFor({ options, held: new Map(), nativeKeys, walletChainId: 1, ...request }).map((way) => way.tokenKey);

  it('is unchanged while the wallet’s balances are unknown', () => {
    expect(order({})).toEqual(options.map(({ tokenKey }) => tokenKey));
  });

  it('starts with payable options: by signature, then with a fee, elsewhere, unknown and insufficient ones', () => {
    const known = new Map([
      [
        1,
        held(
          [
            ['USDT-1', 100n],
            ['USDC-1', 100n],
            ['ETH-1', 99n],
          ],
          99n,
        ),
      ],
      [2, held([['USDC-2', 1_000n]], 5n)],
    ]);
    expect(order({ held: known })).toEqual(['USDC-1', 'USDT-1', 'USDC-2', 'USDC-3', 'ETH-1']);
    expect(order({ held: known, walletChainId: 2 })[0]).toBe('USDC-2');
  });

  it('prefers the consent without a network fee', () => {
    const [, usdc] = waysFor({ options, held: new Map(), nativeKeys, walletChainId: 1 });
    expect(usdc?.methods).toEqual(['PERMIT', 'APPROVAL', 'DIRECT']);
  });

  it('requires the native coin for a fee, and more than the amount to pay in the native coin itself', () => {
    const penniless = held([], 0n);
    const token = { isNative: false, cryptoAmount: '100', held: 100n };
    expect(lacksGas(token, 'PERMIT', penniless)).toBe(false);
    expect(lacksGas(token, 'DIRECT', penniless)).toBe(true);
    expect(lacksGas(token, 'DIRECT', undefined)).toBe(false);
    expect(lacksGas({ isNative: true, cryptoAmount: '100', held: 100n }, 'DIRECT', held([], 100n))).toBe(true);
    expect(lacksGas({ isNative: true, cryptoAmount: '100', held: 101n }, 'DIRECT', held([], 101n))).toBe(false);
  });
});

describe('an error', () => {
  it.each([
    [{ code: 4001 }, 'REJECTED'],
    [new Error('outer', { cause: { code: 4001 } }), 'REJECTED'],
    [{ code: -32002, message: 'Already processing' }, 'PENDING'],
    [{ code: 4902 }, 'CHAIN_UNKNOWN'],
    [new Error('insufficient funds for gas * price + value'), 'NO_GAS'],
    [{ code: 4900 }, 'LOST'],
    [{ code: -32603, message: 'boom' }, 'FAILED'],
    ['a text', 'FAILED'],
    [undefined, 'FAILED'],
  ])('of the wallet %j is %s', (error, fault) => {
    expect(walletFault(error)).toBe(fault);
  });

  it.each([
    ['NETWORK', '', [], 'NETWORK'],
    ['QUOTE_EXPIRED', '', [], 'QUOTE_EXPIRED'],
    ['CONFLICT', 'A payment of this wallet is under way on this chain', [], 'UNDER_WAY'],
    ['CONFLICT', 'The app has no payout address for EVM chains', [], 'NO_PAYOUT'],
    ['VALIDATION_ERROR', '', [{ param: 'signatures.consent', message: '' }], 'BAD_SIGNATURE'],
    ['VALIDATION_ERROR', '', [{ param: 'method', message: '' }], 'FAILED'],
    ['INVALID_STATE', '', [], 'OVER'],
    ['CHAIN_PAUSED', '', [], 'PAUSED'],
    ['CHAIN_UNAVAILABLE', 'The node does not answer', [], 'CHAIN_DOWN'],
    ['PRICE_UNAVAILABLE', '', [], 'PRICE_DOWN'],
    ['SOMETHING_NEW', '', [], 'FAILED'],
  ])('of the API %s (%s) has its message', (code, message, details, sentence) => {
    expect(apiSentence(new ApiError({ code, message, details }))).toBe(sentence);
  });
});

describe('the state of a payment in this tab', () => {
  const prepared = {
    quoteId: 'q',
    chainId: 1,
    chainName: 'Chain 1',
    tokenKey: 'USDC-1',
    symbol: 'USDC',
    decimals: 6,
    method: 'PERMIT',
    walletAddress: '0x',
    cryptoAmount: '1',
    expiresAt: 9,
    steps: [],
    isChecked: true,
  } as const;
  const quoted = afterPaymentEvent(noPayment, { happened: 'prepared', prepared });

  it('keeps the signatures when a later step is declined, and continues from there', () => {
    const signed = afterPaymentEvent(quoted, { happened: 'signed', name: 'permit', signature: '0x01' });
    const declined = afterPaymentEvent(signed, { happened: 'failed', fault: 'REJECTED' });
    expect(declined).toMatchObject({ done: 1, signatures: { permit: '0x01' }, work: undefined, fault: 'REJECTED' });
  });

  it('discards the signatures with the quote', () => {
    const signed = afterPaymentEvent(quoted, { happened: 'signed', name: 'permit', signature: '0x01' });
    for (const event of [
      { happened: 'dropped' },
      { happened: 'chosen', tokenKey: 'USDT-1' },
      { happened: 'prepared', prepared },
    ] as const) {
      expect(afterPaymentEvent(signed, event)).toMatchObject({ done: 0, signatures: {} });
    }
  });

  it('keeps a sent transaction through later errors, until it is abandoned with its reason', () => {
    const sent = { quoteId: 'q', chainId: 1, txHash: '0x02', sentAt: 1, payBy: 9 };
    const failed = [
      { happened: 'sent', sent },
      { happened: 'failed', fault: 'QUOTE_EXPIRED' },
      { happened: 'dropped' },
      { happened: 'chosen', tokenKey: 'USDT-1' },
    ] as const;
    const after = failed.reduce<PaymentState>(afterPaymentEvent, quoted);
    expect(after.sent).toEqual(sent);
    const given = afterPaymentEvent(after, { happened: 'abandoned', quoteId: 'q', fault: 'NOT_SEEN' });
    expect(given).toMatchObject({ sent: undefined, abandonedQuoteId: 'q', fault: 'NOT_SEEN' });
  });

  it('keeps the uncertainty about a sent transaction through later events, until the payer denies it', () => {
    const doubted = afterPaymentEvent(quoted, { happened: 'doubted', until: 9 });
    expect(doubted).toMatchObject({ unsureUntil: 9, fault: 'UNSURE' });
    const after = [
      { happened: 'failed', fault: 'UNSURE' },
      { happened: 'started', work: 'preparing' },
      { happened: 'prepared', prepared },
      { happened: 'chosen', tokenKey: 'USDT-1' },
      { happened: 'dropped' },
    ] as const;
    const kept = after.reduce<PaymentState>(afterPaymentEvent, doubted);
    expect(kept.unsureUntil).toBe(9);
    expect(afterPaymentEvent(kept, { happened: 'denied' })).toMatchObject({ unsureUntil: undefined, fault: undefined });
  });

  it('marks a quote as expired if the API reports it', () => {
    expect(afterPaymentEvent(quoted, { happened: 'failed', fault: 'QUOTE_EXPIRED' }).prepared?.expiresAt).toBe(0);
  });
});

describe('a transaction that was sent but not found', () => {
  const minute = 60_000;
  const evm = { family: 'EVM', sentAt: 0, payBy: 10 * minute };
  const solana = { ...evm, family: 'SOLANA' };

  it.each([
    ['at first is on its way', evm, 2 * minute, { state: 'SOON' }],
    ['may come until the escrow refuses it', evm, 2 * minute + 1, { state: 'LATE', until: 11 * minute }],
    ['may still be on the way from its block to us', evm, 11 * minute, { state: 'LATE', until: 11 * minute }],
    ['is lost after that', evm, 11 * minute + 1, { state: 'LOST' }],
    ['on Solana is dropped with its block', solana, 3 * minute, { state: 'LATE', until: 4 * minute }],
    ['on Solana is lost soon', solana, 4 * minute + 1, { state: 'LOST' }],
    ['with little time left is lost with that time', { ...evm, payBy: minute }, 2 * minute + 1, { state: 'LOST' }],
  ])('%s', (_about, sending, now, unseen) => {
    expect(unseenAt(now, sending)).toEqual(unseen);
  });
});

describe('a payment link', () => {
  const fixed = {
    amount: '10.00',
    currency: 'USD',
    requireBillingDetails: false,
    requireEmail: false,
    allowCouponCodes: false,
    minimumQuantity: 1,
    maximumQuantity: 1,
    availableQuantity: null,
  };

  it('asks only for the required fields', () => {
    expect(beginQuestions(fixed)).toEqual({
      asksAmount: false,
      asksCurrency: false,
      asksQuantity: false,
      asksCoupon: false,
      isLimited: false,
      fields: [],
    });
    expect(beginQuestions({ ...fixed, requireEmail: true }).fields).toEqual([{ field: 'email', isRequired: true }]);
    expect(beginQuestions({ ...fixed, amount: null, currency: null })).toMatchObject({
      asksAmount: true,
      asksCurrency: true,
    });
    const all = beginQuestions({ ...fixed, requireBillingDetails: true }).fields;
    expect(all.filter(({ isRequired }) => !isRequired).map(({ field }) => field)).toEqual(['state']);
  });

  it('sends only the fields that were asked for', () => {
    const given = {
      amount: ' 12,5 ',
      currency: 'EUR',
      quantity: ' 3 ',
      couponCode: ' spring ',
      details: { email: ' a@b.example ', city: ' ' },
    };
    expect(beginInput(fixed, given)).toEqual({});
    expect(beginInput({ ...fixed, amount: null, currency: 'USD' }, given)).toEqual({ amount: '12.5' });
    expect(beginInput({ ...fixed, requireBillingDetails: true }, given)).toEqual({
      billingDetails: { email: 'a@b.example' },
    });
    expect(beginInput({ ...fixed, maximumQuantity: 5 }, given)).toEqual({ quantity: 3 });
    expect(beginInput({ ...fixed, allowCouponCodes: true }, given)).toEqual({ couponCode: 'spring' });
  });

  it('accepts whole quantities within its limits, and is sold out below the minimum', () => {
    const several = { ...fixed, minimumQuantity: 2, maximumQuantity: 5 };
    const typed = ['2', ' 5 ', '1', '6', '2.5', '1e0', '', '-3'].map((text) => typedQuantity(several, text));
    expect(typed).toEqual([2, 5, null, null, null, null, null, null]);
    const soldOut = [null, 5, 2, 1, 0].map((availableQuantity) => isSoldOut({ ...several, availableQuantity }));
    expect(soldOut).toEqual([false, false, false, true, true]);
    expect(beginQuestions({ ...fixed, availableQuantity: 1 }).isLimited).toBe(true);
  });

  it('reuses its idempotency key for the same input until the API has rejected it', () => {
    const first = beginKey(undefined, { amount: '10.00' }, 'key 1');
    const again = (before: BeginKey | undefined, amount = '10.00') => beginKey(before, { amount }, 'key 2').key;
    expect(again(first)).toBe('key 1');
    expect(again(first, '11.00')).toBe('key 2');
    const faults = [
      networkFault('no line').fault,
      ...Object.entries(errorCatalogue).map(([code, { retryable }]) => ({ code, retryable })),
    ];
    // The first request may have started a session although its response was lost, or may be in progress.
    expect(again(afterBeginFault(first, undefined))).toBe('key 1');
    expect(again(afterBeginFault(first, printedFault([{ message: 'An answer of somebody else' }]).fault))).toBe(
      'key 1',
    );
    for (const { code, ...entry } of faults) {
      expect(again(afterBeginFault(first, { code, ...entry })), code).toBe(entry.retryable ? 'key 1' : 'key 2');
    }
    const kept = faults.filter(({ retryable }) => retryable).map(({ code }) => code);
    expect(kept).toEqual(
      expect.arrayContaining(['NETWORK', 'IDEMPOTENCY_IN_FLIGHT', 'INTERNAL_ERROR', 'CHAIN_PAUSED']),
    );
    expect(kept).not.toContain('VALIDATION_ERROR');
  });

  it.each([
    ['NETWORK', 'NETWORK'],
    ['RATE_LIMIT_EXCEEDED', 'BUSY'],
    ['PRICE_UNAVAILABLE', 'PRICE_DOWN'],
    ['INTERNAL_ERROR', 'UNOPENED'],
    ['VALIDATION_ERROR', 'UNOPENED'],
    ['EXPIRED', 'UNOPENED'],
    ['CONFLICT', 'UNOPENED'],
  ])('that could not be started because of %s shows no sentence about a payment', (code, sentence) => {
    expect(beginSentence(new ApiError({ code, message: '' }))).toBe(sentence);
  });

  it('that is deactivated or deleted while its form is open is not active, unlike a refused coupon', () => {
    const refused = (code: string, param?: string) => isInactive(new ApiError({ code, message: '', param }));
    expect([refused('INVALID_STATE'), refused('NOT_FOUND'), refused('EXPIRED')]).toEqual([true, true, false]);
    expect([refused('INVALID_STATE', 'couponCode'), refused('NOT_FOUND', 'couponCode')]).toEqual([false, false]);
  });

  it.each([
    ['/link/coffee', { page: 'link', slug: 'coffee' }],
    ['/checkout/0199/', { page: 'checkout', id: '0199' }],
    ['/link/%', { page: 'link', slug: '%' }],
    ['/link/a/b', undefined],
    ['/', undefined],
  ])('reads the address %s', (path, address) => {
    expect(readAddress(path)).toEqual(address);
  });
});

describe('two responses for a session', () => {
  const at = (now: string) => ({ view: { now } });

  it('are ordered by the gateway’s clock, not by their arrival', () => {
    const [early, late] = [at('2026-11-22T12:00:00.000Z'), at('2026-11-22T12:00:00.001Z')];
    expect(newer(early, late)).toBe(late);
    expect(newer(late, early)).toBe(late);
    expect(newer(undefined, early)).toBe(early);
    const again = at(late.view.now);
    expect(newer(late, again)).toBe(again);
  });
});

describe('the displayed payment options', () => {
  const keyed = (key: string, chainId: number, isShort = false): Way => ({
    ...option(key, chainId, ['DIRECT']),
    held: isShort ? 1n : 100n,
    isShort,
    isNative: false,
  });
  const printed = (networks: readonly Network[]) =>
    networks.map(({ chainId, ways }) => `${chainId}: ${ways.map(({ tokenKey }) => tokenKey).join(' ')}`);

  const fund = (coin: bigint) => new Map([1, 2].map((chainId) => [chainId, { tokens: new Map(), coin }]));

  it('are grouped by network with the best one first, and separate from those that the wallet cannot pay', () => {
    const ways = [keyed('B-2', 2), keyed('A-1', 1), keyed('A-2', 2), keyed('C-1', 1, true)];
    const { payable, lacking } = shownWays(ways, { held: fund(5n), lackingKeys: new Set(['C-1']) });
    expect(printed(payable)).toEqual(['2: B-2 A-2', '1: A-1']);
    expect(printed(lacking)).toEqual(['1: C-1']);
  });

  it('stay in place if the wallet can no longer pay them, and leave the separate list once it can', () => {
    const ways = [keyed('A-1', 1, true), keyed('B-1', 1), keyed('C-1', 1)];
    const lackingKeys = new Set(['C-1']);
    expect(isLacking(keyed('A-1', 1, true), fund(5n))).toBe(true);
    expect(printed(shownWays(ways, { held: fund(5n), lackingKeys }).payable)).toEqual(['1: A-1 B-1 C-1']);
    // Without the native coin for the fee, no transaction can be sent.
    expect(ways.every((way) => isLacking(way, fund(0n)))).toBe(true);
    const broke = shownWays(ways, { held: fund(0n), lackingKeys });
    expect([printed(broke.payable), printed(broke.lacking)]).toEqual([['1: A-1 B-1'], ['1: C-1']]);
    const unread = ways.map((way) => ({ ...way, held: undefined, isShort: false }));
    expect(printed(shownWays(unread, { held: new Map(), lackingKeys }).lacking)).toEqual(['1: C-1']);
  });

  it('keep their order, and new ones are appended', () => {
    const ways = [keyed('N-1', 1), keyed('A-1', 1), keyed('B-1', 1)];
    expect(keepOrder(ways, ['B-1', 'A-1', 'GONE-1']).map(({ tokenKey }) => tokenKey)).toEqual(['B-1', 'A-1', 'N-1']);
  });
});

describe('starting over', () => {
  const asked = { ...noPayment, work: 'sending', askedUntil: 5 } as const;

  it('asks whether a requested transaction was sent, and otherwise discards the quote', () => {
    expect(afterPaymentEvent(asked, { happened: 'restarted' })).toMatchObject({ unsureUntil: 5, work: undefined });
    const signing = { ...noPayment, work: 'signing' } as const;
    expect(afterPaymentEvent(signing, { happened: 'restarted' })).toMatchObject({
      unsureUntil: undefined,
      prepared: undefined,
      fault: 'STARTED_OVER',
    });
  });

  it('resolves the uncertainty when the wallet sends the transaction after all', () => {
    const unsure = afterPaymentEvent(asked, { happened: 'restarted' });
    const sent = { quoteId: 'q', chainId: 1, txHash: '0x1', sentAt: 1, payBy: 2 };
    expect(afterPaymentEvent(unsure, { happened: 'sent', sent })).toMatchObject({ unsureUntil: undefined, sent });
  });
});
