/** Requests to the wallet match the displayed payment: another amount, token, chain, contract or payee is rejected. */
import { parseEther, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { approveData, permitTypedData, receiveTypedData } from '../../../src/chains/evm/erc20.ts';
import { typedDataToJson } from '../../../src/chains/evm/typed-data-json.ts';
import { quoteHash } from '../../../src/checkout/quoted-terms.ts';
import { authorizeCall } from '../../../src/escrow/calldata.ts';
import { consentToJson, consentTypedData, type RecurringConsent } from '../../../src/escrow/consent.ts';
import { type PaymentTerms, termsHash, termsToJson, termsTypedData, uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { stepAction } from '../../../web/src/checkout/cards/step-words.ts';
import {
  checkSteps,
  type Given,
  type GivenStep,
  Mismatch,
  type Shown,
} from '../../../web/src/checkout/pay/check-steps.ts';

const NOW = 1_800_000_000;
const intentId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const quoteId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b12';
const subscriptionId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b13';
const escrow = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const token = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
const payer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const payee = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const attacker = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const domain = { name: 'USD Coin', version: '2' };
const evidence = [
  { asset: 'USDC', priceUsd: '1', sources: [{ source: 'fixed', priceUsd: '1', at: '2026-11-22T11:00:00.000Z' }] },
];
const operatorSignature = `0x${'11'.repeat(65)}` as const;
const chainId = 31337;

const shown: Shown = {
  chainId,
  escrow,
  token: { address: token, permit: domain, receive: domain },
  payer,
  payee,
  amount: '12.50',
  currency: 'USD',
  disputeSeconds: 86_400,
  payment: { id: intentId, timelockSeconds: 604_800, isCapturedAtOnce: true },
  subscription: null,
  now: NOW,
};

const amount = 12_500_000n;
const hashOf = (changes: { amount?: bigint; fiat?: string } = {}) =>
  quoteHash({
    chainId,
    quoteId,
    amount: changes.amount ?? amount,
    intent: { amount: { toFixed: () => changes.fiat ?? '12.50' }, currency: 'USD' },
    evidence,
  });
const good: PaymentTerms = {
  intentId: uuidToBytes32(intentId),
  payer,
  merchant: payee,
  token,
  amount,
  authorizeBy: NOW + 600,
  captureBy: NOW + 700_000,
  timelock: 604_800,
  disputeWindow: 86_400,
  disputeTimeout: 2_592_000,
  timeoutPayerBps: 10_000,
  feeBps: 100,
  feeRecipient: attacker,
  operator: attacker,
  arbiter: attacker,
  quoteHash: hashOf(),
  captureOnAuthorize: true,
};

const none = { chainId: null, to: null, data: null, value: null, name: null, typedData: null };
const signing = (name: string, typed: Parameters<typeof typedDataToJson>[0]): GivenStep => ({
  ...none,
  kind: 'signTypedData',
  name,
  typedData: typedDataToJson(typed),
});
const sending = (to: string, data: string, value = '0'): GivenStep => ({
  ...none,
  kind: 'transaction',
  chainId,
  to,
  data,
  value,
});
const consent = (terms = good) => signing('consent', termsTypedData({ chainId, escrow, terms }));
const tokenDomain = { ...domain, chainId, token } as const;
const permit = (changes: { value?: bigint; deadline?: number } = {}) =>
  signing(
    'permit',
    permitTypedData({
      ...tokenDomain,
      owner: payer,
      spender: escrow,
      value: amount,
      nonce: 3n,
      deadline: NOW + 600,
      ...changes,
    }),
  );
const receive = (changes: { validBefore?: number } = {}) =>
  signing(
    'receive',
    receiveTypedData({
      ...tokenDomain,
      from: payer,
      to: escrow,
      value: amount,
      validBefore: NOW + 601,
      nonce: termsHash(good),
      ...changes,
    }),
  );
const pay = (terms = good) => {
  const call = authorizeCall({ escrow, terms, operatorSignature });
  return sending(call.to, call.data, call.value.toString());
};
const given = (steps: GivenStep[], changes: Partial<Given> & { signed?: PaymentTerms } = {}): Given => ({
  quote: { id: quoteId, cryptoAmount: amount.toString(), evidence },
  terms: termsToJson(changes.signed ?? good),
  steps,
  walletAllowance: '0',
  ...changes,
});

describe('a payment that matches the displayed terms', () => {
  it.each([
    ['ERC-3009', [receive()], ['receive']],
    ['a permit', [permit(), consent()], ['permit', 'consent']],
    ['an approval', [sending(token, approveData(escrow, amount)), consent()], ['approve', 'consent']],
    ['its own transaction', [sending(token, approveData(escrow, amount)), pay()], ['approve', 'pay']],
  ])('by %s can be signed', (_how, steps, kinds) => {
    expect(checkSteps(shown, given(steps)).map((step) => step.kind)).toEqual(kinds);
  });

  it('resets an existing allowance to zero only if there is one', () => {
    const steps = [sending(token, approveData(escrow, 0n)), sending(token, approveData(escrow, amount)), consent()];
    expect(checkSteps(shown, given(steps, { walletAllowance: '5' })).map((step) => step.kind)).toEqual([
      'reset',
      'approve',
      'consent',
    ]);
    expect(() => checkSteps(shown, given(steps))).toThrow(Mismatch);
  });

  it('in the native coin sends exactly its amount', () => {
    const native = { ...shown, token: { address: zeroAddress, permit: null, receive: null }, amount: '2500.00' };
    const wei = parseEther('1');
    const terms = {
      ...good,
      token: zeroAddress,
      amount: wei,
      quoteHash: hashOf({ amount: wei, fiat: '2500.00' }),
    } as const;
    const prepared = { quote: { id: quoteId, cryptoAmount: wei.toString(), evidence }, signed: terms };
    expect(checkSteps(native, given([pay(terms)], prepared))).toMatchObject([{ kind: 'pay', value: wei }]);
    expect(() => checkSteps(native, given([{ ...pay(terms), value: String(wei + 1n) }], prepared))).toThrow('value');
  });

  it('signs typed data built by the page instead of the received data', () => {
    const step = consent();
    const evil = { ...step, typedData: { domain: { name: 'Other' }, types: {}, primaryType: 'Other', message: {} } };
    const [checked] = checkSteps(shown, given([evil]));
    expect(checked && 'typedData' in checked && checked.typedData).toEqual(
      termsTypedData({ chainId, escrow, terms: good }),
    );
  });
});

describe('a payment that differs from the displayed terms', () => {
  it.each<[string, Partial<PaymentTerms>]>([
    ['intentId', { intentId: uuidToBytes32(quoteId) }],
    ['payer', { payer: attacker }],
    ['merchant', { merchant: attacker }],
    ['token', { token: attacker }],
    ['amount', { amount: amount + 1n }],
    ['authorizeBy', { authorizeBy: NOW + 86_400 }],
    ['authorizeBy', { authorizeBy: NOW }],
    ['timelock', { timelock: 1 }],
    ['disputeWindow', { disputeWindow: 0 }],
    ['captureOnAuthorize', { captureOnAuthorize: false }],
    ['quoteHash', { quoteHash: hashOf({ fiat: '1.00' }) }],
  ])('is rejected: %s', (part, changes) => {
    expect(() => checkSteps(shown, given([consent()], { signed: { ...good, ...changes } }))).toThrow(part);
  });

  it('may keep the existing allowance and reports it, but may not exceed it', () => {
    const steps = (kept: bigint) => [sending(token, approveData(escrow, amount + kept)), consent()];
    const [approval] = checkSteps(shown, given(steps(4n), { walletAllowance: '5' }));
    expect(approval).toMatchObject({ kind: 'approve', amount: amount + 4n, kept: 4n });
    expect(() => checkSteps(shown, given(steps(6n), { walletAllowance: '5' }))).toThrow('allowance');
  });

  it.each<[string, GivenStep]>([
    ['allowance', sending(token, approveData(escrow, amount * 2n))],
    ['spender', sending(token, approveData(attacker, amount))],
    ['to', sending(attacker, approveData(escrow, amount))],
    ['data', sending(token, transferData())],
    ['value', sending(token, approveData(escrow, amount), '1')],
    ['chainId', { ...sending(token, approveData(escrow, amount)), chainId: 1 }],
    ['data', pay({ ...good, merchant: attacker })],
    ['data', sending(escrow, '0x12345678')],
    ['value', permit({ value: amount * 2n })],
    ['deadline', permit({ deadline: NOW + 86_400 })],
    ['validBefore', receive({ validBefore: NOW + 86_400 })],
    ['name', { ...consent(), name: 'mystery' }],
    ['kind', { ...none, kind: 'solanaTransaction' }],
  ])('is rejected for its steps: %s', (part, step) => {
    expect(() => checkSteps(shown, given([step]))).toThrow(part);
  });

  it('is rejected without steps and without terms', () => {
    expect(() => checkSteps(shown, given([]))).toThrow('steps');
    expect(() => checkSteps(shown, given([consent()], { terms: null }))).toThrow('terms');
  });
});

/** transfer(thief, amount). */
function transferData(): string {
  return `0xa9059cbb${attacker.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
}

describe('a subscription', () => {
  const cap = 15_625_000n;
  const monthly: RecurringConsent = {
    subscriptionId: uuidToBytes32(subscriptionId),
    payer,
    merchant: payee,
    token,
    capPerPeriod: cap,
    start: NOW,
    unit: 1,
    count: 1,
    end: 0,
    feeBps: 100,
    feeRecipient: attacker,
    operator: attacker,
    arbiter: attacker,
    timelock: 604_800,
    disputeWindow: 86_400,
    disputeTimeout: 2_592_000,
    timeoutPayerBps: 10_000,
  };
  const subscribing: Shown = {
    ...shown,
    payment: null,
    subscription: { id: subscriptionId, interval: 'MONTH', count: 1 },
  };
  const agreeing = (agreed: RecurringConsent, permitted = cap * 12n) =>
    given([permit({ value: permitted }), signing('consent', consentTypedData({ chainId, escrow, consent: agreed }))], {
      terms: consentToJson(agreed),
    });

  it('can be agreed to with its cap if it matches the displayed terms', () => {
    expect(checkSteps(subscribing, agreeing(monthly))).toMatchObject([
      { kind: 'permit', amount: cap * 12n },
      { kind: 'recurring', amount, cap },
    ]);
  });

  it.each<[string, Partial<RecurringConsent>]>([
    ['subscriptionId', { subscriptionId: uuidToBytes32(intentId) }],
    ['payer', { payer: attacker }],
    ['merchant', { merchant: attacker }],
    ['token', { token: attacker }],
    ['period', { unit: 0, count: 1 }],
    ['period', { count: 2 }],
    ['capPerPeriod', { capPerPeriod: amount - 1n }],
    ['disputeWindow', { disputeWindow: 0 }],
  ])('is rejected if it differs from the displayed terms: %s', (part, changes) => {
    expect(() => checkSteps(subscribing, agreeing({ ...monthly, ...changes }))).toThrow(part);
  });

  it('may start free after a trial, but never without a cap', () => {
    const free = (agreed: RecurringConsent, permitted?: bigint) => {
      const asked = agreeing(agreed, permitted);
      return checkSteps(subscribing, { ...asked, quote: { ...asked.quote, cryptoAmount: '0' } });
    };
    expect(free(monthly)).toMatchObject([{ kind: 'permit' }, { kind: 'recurring', amount: 0n, cap }]);
    expect(() => free({ ...monthly, capPerPeriod: 0n }, 0n)).toThrow('capPerPeriod');
  });

  it('to a metered price has exactly the cap that is displayed beside its first charge', () => {
    const metered = (fiat: string, capAmount: string): Shown => ({
      ...subscribing,
      amount: fiat,
      subscription: { id: subscriptionId, interval: 'MONTH', count: 1, capAmount },
    });
    const signing = (capPerPeriod: bigint, paid = amount) => ({
      ...agreeing({ ...monthly, capPerPeriod }, capPerPeriod * 12n),
      quote: { ...agreeing(monthly).quote, cryptoAmount: String(paid) },
    });
    const four = metered('12.50', '50.00');
    expect(checkSteps(four, signing(amount * 4n))).toMatchObject([{}, { cap: amount * 4n }]);
    expect(checkSteps(four, signing(amount * 4n + 1n))).toMatchObject([{}, { kind: 'recurring' }]);
    expect(() => checkSteps(four, signing(amount * 4n + 2n))).toThrow('capPerPeriod');
    const free = metered('0.00', '50.00');
    expect(checkSteps(free, signing(50_000_000n, 0n))).toMatchObject([{}, { amount: 0n, cap: 50_000_000n }]);
    expect(() => checkSteps(free, signing(50_000_000n, 1n))).toThrow('capPerPeriod');
    expect(() => checkSteps(four, signing(50_000_000n, 0n))).toThrow('capPerPeriod');
  });

  it('names the approved amount and the reset on the button, because the wallet shows them too', () => {
    const asked = agreeing(monthly);
    const [, signature] = asked.steps;
    const approving = [0n, cap * 12n].map((allowed) => sending(token, approveData(escrow, allowed)));
    const steps = checkSteps(subscribing, {
      ...asked,
      steps: [...approving, ...(signature ? [signature] : [])],
      walletAllowance: '5',
    });
    expect(steps.map(stepAction)).toEqual([
      { name: 'reset', approved: null },
      { name: 'approve', approved: cap * 12n },
      { name: 'sign', approved: null },
    ]);
    expect(stepAction(undefined)).toEqual({ name: 'finish', approved: null });
  });

  it('permits an allowance of at most twelve caps', () => {
    expect(() => checkSteps(subscribing, agreeing(monthly, cap * 13n))).toThrow('value');
  });
});
