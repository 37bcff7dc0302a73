/**
 * Rebuilds the wallet's requests from what the page shows, so that a payer never signs an amount, token, chain, contract or payee other
 * than those on the screen, whatever `prepareCheckout` returned. The wallet receives the rebuilt typed data.
 */
import { Decimal } from 'decimal.js';
import { type Address, decodeFunctionData, getAddress, type Hex, type TypedDataDefinition, zeroAddress } from 'viem';
import { erc20Abi, permitTypedData, receiveTypedData } from '../../../../src/chains/evm/erc20.ts';
import { quoteHash } from '../../../../src/checkout/quoted-terms.ts';
import { authorizeCall } from '../../../../src/escrow/calldata.ts';
import { consentFromJson, consentTypedData, type RecurringConsent } from '../../../../src/escrow/consent.ts';
import { escrowAbi } from '../../../../src/escrow/escrow-abi.ts';
import {
  type PaymentTerms,
  termsFromJson,
  termsHash,
  termsTypedData,
  uuidToBytes32,
} from '../../../../src/escrow/terms.ts';
import { consentPeriod } from '../../../../src/subscriptions/billing-period.ts';

/** What the screen shows, and for which wallet. */
export type Shown = {
  chainId: number;
  escrow: Address;
  token: { address: Address; permit: Domain | null; receive: Domain | null };
  payer: Address;
  payee: Address;
  /** The fiat amount of the session. */
  amount: string;
  currency: string;
  disputeSeconds: number;
  payment: { id: string; timelockSeconds: number; isCapturedAtOnce: boolean } | null;
  subscription: {
    id: string;
    interval: 'MINUTE' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';
    count: number;
    /** The maximum charge for a period of a metered price, in fiat; null for a fixed price. */
    capAmount?: string | null;
  } | null;
  /** Unix seconds. */
  now: number;
};

type Domain = { name: string; version: string };

export type GivenStep = {
  kind: string;
  chainId: number | null;
  to: string | null;
  data: string | null;
  value: string | null;
  name: string | null;
  typedData: unknown;
};

export type Given = {
  quote: {
    id: string;
    cryptoAmount: string;
    evidence: readonly {
      asset: string;
      priceUsd: string;
      sources: readonly { source: string; priceUsd: string; at: string }[];
    }[];
  };
  terms: unknown;
  steps: readonly GivenStep[];
  walletAllowance: string;
};

/** Amounts in base units, `until` in unix seconds. `kept`: the part of an approval that the wallet already allows for others. */
export type CheckedStep =
  | { kind: 'reset'; to: Address; data: Hex; value: bigint }
  | { kind: 'approve'; to: Address; data: Hex; value: bigint; amount: bigint; kept: bigint }
  | { kind: 'pay'; to: Address; data: Hex; value: bigint; amount: bigint; until: number }
  | { kind: 'permit'; typedData: TypedDataDefinition; amount: bigint; until: number }
  | { kind: 'receive'; typedData: TypedDataDefinition; amount: bigint; until: number }
  | { kind: 'consent'; typedData: TypedDataDefinition; amount: bigint; until: number }
  | { kind: 'recurring'; typedData: TypedDataDefinition; amount: bigint; cap: bigint; start: number };

/** Names the part that differs from the screen, for the log. The payer sees a general sentence. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

const LONGEST_SECONDS = 3600;
const ALLOWED_PERIODS = 12n;

/** Throws Mismatch. */
export function checkSteps(shown: Shown, given: Given): CheckedStep[] {
  const amount = BigInt(given.quote.cryptoAmount);
  requireMatch(given.steps.length > 0, 'steps');
  if (shown.subscription) return checkConsentSteps(shown, given, amount);
  const terms = readTerms(given.terms);
  checkTerms(shown, given, terms, amount);
  return given.steps.map((step) => checkPaymentStep(shown, given, { step, terms, amount }));
}

function readTerms(json: unknown): PaymentTerms {
  try {
    return termsFromJson(json);
  } catch (cause) {
    throw new Mismatch('terms', { cause });
  }
}

function checkTerms(shown: Shown, given: Given, terms: PaymentTerms, amount: bigint): void {
  const { payment } = shown;
  if (!payment) throw new Mismatch('payment');
  requireMatch(terms.intentId === uuidToBytes32(payment.id), 'intentId');
  requireMatch(isSame(terms.payer, shown.payer), 'payer');
  requireMatch(isSame(terms.merchant, shown.payee), 'merchant');
  requireMatch(isSame(terms.token, shown.token.address), 'token');
  requireMatch(terms.amount === amount && amount > 0n, 'amount');
  requireMatch(isSoon(shown, terms.authorizeBy), 'authorizeBy');
  requireMatch(terms.timelock === payment.timelockSeconds, 'timelock');
  requireMatch(terms.disputeWindow === shown.disputeSeconds, 'disputeWindow');
  requireMatch(terms.captureOnAuthorize === payment.isCapturedAtOnce, 'captureOnAuthorize');
  const evidence = given.quote.evidence.map((one) => ({ ...one, sources: [...one.sources] }));
  const intent = { amount: new Decimal(shown.amount), currency: shown.currency };
  requireMatch(
    terms.quoteHash === quoteHash({ chainId: shown.chainId, quoteId: given.quote.id, amount, intent, evidence }),
    'quoteHash',
  );
}

function checkPaymentStep(
  shown: Shown,
  given: Given,
  asked: { step: GivenStep; terms: PaymentTerms; amount: bigint },
): CheckedStep {
  const { step, terms, amount } = asked;
  const { chainId, escrow } = shown;
  const until = terms.authorizeBy;
  if (step.kind === 'transaction') {
    if (step.to !== null && isSame(step.to, escrow)) return checkPay(shown, { step, terms });
    const allowance = BigInt(given.walletAllowance);
    return checkApprove(shown, { step, amount, allowance, most: amount + allowance });
  }
  requireMatch(step.kind === 'signTypedData', 'kind');
  switch (step.name) {
    case 'consent':
      return { kind: 'consent', typedData: termsTypedData({ chainId, escrow, terms }), amount, until };
    case 'permit':
      return checkPermit(shown, { step, value: amount, latest: until });
    case 'receive': {
      const domain = domainOf(shown, shown.token.receive);
      const validBefore = Number(numberOf(messageOf(step).validBefore, 'validBefore'));
      requireMatch(validBefore > shown.now && validBefore <= until + 1, 'validBefore');
      const nonce = termsHash(terms);
      const typedData = receiveTypedData({
        ...domain,
        from: shown.payer,
        to: escrow,
        value: amount,
        validBefore,
        nonce,
      });
      return { kind: 'receive', typedData, amount, until };
    }
    default:
      throw new Mismatch('name');
  }
}

/** The call is rebuilt from the checked terms. Only the operator's signature is taken from the response. */
function checkPay(shown: Shown, { step, terms }: { step: GivenStep; terms: PaymentTerms }): CheckedStep {
  requireMatch(step.chainId === shown.chainId, 'chainId');
  const { functionName, args } = decode(escrowAbi, step.data);
  requireMatch(functionName === 'authorize', 'function');
  const signature = args?.[1];
  if (typeof signature !== 'string') throw new Mismatch('signature');
  const call = authorizeCall({ escrow: shown.escrow, terms, operatorSignature: asHex(signature) });
  requireMatch(call.data.toLowerCase() === step.data?.toLowerCase(), 'data');
  requireMatch(call.value === BigInt(step.value ?? '0'), 'value');
  return { kind: 'pay', ...call, amount: terms.amount, until: terms.authorizeBy };
}

function checkApprove(
  shown: Shown,
  { step, amount, allowance, most }: { step: GivenStep; amount: bigint; allowance: bigint; most: bigint },
): CheckedStep {
  requireMatch(step.chainId === shown.chainId, 'chainId');
  requireMatch(step.to !== null && isSame(step.to, shown.token.address) && shown.token.address !== zeroAddress, 'to');
  requireMatch(BigInt(step.value ?? '0') === 0n, 'value');
  const { functionName, args } = decode(erc20Abi, step.data);
  requireMatch(functionName === 'approve', 'function');
  const [spender, value] = args ?? [];
  requireMatch(typeof spender === 'string' && isSame(spender, shown.escrow), 'spender');
  const call = { to: shown.token.address, data: asHex(step.data ?? ''), value: 0n };
  if (value === 0n && allowance > 0n) return { kind: 'reset', ...call };
  // An approval replaces the allowance, so that a payment may have to keep what the wallet allows already, and no more.
  if (typeof value !== 'bigint' || value < amount || value > most) throw new Mismatch('allowance');
  return { kind: 'approve', ...call, amount: value, kept: value - amount };
}

/** `latest`: the last second until which it may be valid. */
function checkPermit(
  shown: Shown,
  { step, value, latest }: { step: GivenStep; value: bigint; latest: number },
): CheckedStep {
  const domain = domainOf(shown, shown.token.permit);
  const message = messageOf(step);
  const deadline = Number(numberOf(message.deadline, 'deadline'));
  requireMatch(deadline > shown.now && deadline <= latest, 'deadline');
  requireMatch(numberOf(message.value, 'value') === value, 'value');
  const nonce = numberOf(message.nonce, 'nonce');
  const typedData = permitTypedData({ ...domain, owner: shown.payer, spender: shown.escrow, value, nonce, deadline });
  return { kind: 'permit', typedData, amount: value, until: deadline };
}

function checkConsentSteps(shown: Shown, given: Given, amount: bigint): CheckedStep[] {
  const consent = readConsent(given.terms);
  const { subscription, chainId, escrow } = shown;
  if (!subscription) throw new Mismatch('subscription');
  const period = consentPeriod(subscription.interval, subscription.count);
  requireMatch(consent.subscriptionId === uuidToBytes32(subscription.id), 'subscriptionId');
  requireMatch(isSame(consent.payer, shown.payer), 'payer');
  requireMatch(isSame(consent.merchant, shown.payee), 'merchant');
  requireMatch(isSame(consent.token, shown.token.address), 'token');
  requireMatch(consent.unit === period.unit && consent.count === period.count, 'period');
  checkCap(shown, { cap: consent.capPerPeriod, amount, capAmount: subscription.capAmount ?? null });
  requireMatch(consent.disputeWindow === shown.disputeSeconds, 'disputeWindow');
  const held = BigInt(given.walletAllowance);
  const wanted = consent.capPerPeriod * ALLOWED_PERIODS;
  const allowance = held > wanted ? held : wanted;
  return given.steps.map((step) => {
    if (step.kind === 'transaction')
      return checkApprove(shown, { step, amount: allowance, allowance: held, most: allowance });
    if (step.name === 'permit') {
      return checkPermit(shown, { step, value: allowance, latest: shown.now + LONGEST_SECONDS });
    }
    requireMatch(step.kind === 'signTypedData' && step.name === 'consent', 'name');
    const typedData = consentTypedData({ chainId, escrow, consent });
    return { kind: 'recurring', typedData, amount, cap: consent.capPerPeriod, start: consent.start };
  });
}

/** The cap of a metered price is to the first charge as its fiat amounts are, rounded up; without a first charge it is only shown. */
function checkCap(
  { amount: fiat }: Shown,
  { cap, amount, capAmount }: { cap: bigint; amount: bigint; capAmount: string | null },
): void {
  if (capAmount === null) {
    // Only the first charge after a trial can be zero: a coupon may make it free.
    requireMatch(cap >= amount && cap > 0n, 'capPerPeriod');
    return;
  }
  const [first, most] = [fiat, capAmount].map((text) => BigInt(new Decimal(text).times(100).toFixed(0))) as [
    bigint,
    bigint,
  ];
  const isWithin = cap * first <= amount * most + first || cap === amount;
  requireMatch(cap > 0n && cap >= amount && amount > 0n === first > 0n && isWithin, 'capPerPeriod');
}

function readConsent(json: unknown): RecurringConsent {
  try {
    return consentFromJson(json);
  } catch (cause) {
    throw new Mismatch('terms', { cause });
  }
}

function isSoon(shown: Shown, second: number): boolean {
  return second > shown.now && second <= shown.now + LONGEST_SECONDS;
}

function domainOf(shown: Shown, domain: Domain | null) {
  if (domain === null) throw new Mismatch('domain');
  return { ...domain, chainId: shown.chainId, token: shown.token.address };
}

function messageOf(step: GivenStep): Record<string, unknown> {
  const { typedData } = step;
  if (typeof typedData !== 'object' || typedData === null || !('message' in typedData)) throw new Mismatch('typedData');
  const { message } = typedData;
  if (typeof message !== 'object' || message === null) throw new Mismatch('message');
  return { ...message };
}

function numberOf(value: unknown, name: string): bigint {
  const text = String(value ?? '');
  requireMatch(/^\d{1,78}$/.test(text), name);
  return BigInt(text);
}

function decode(
  abi: typeof escrowAbi | typeof erc20Abi,
  data: string | null,
): { functionName: string; args?: readonly unknown[] } {
  try {
    return decodeFunctionData({ abi: [...abi], data: asHex(data ?? '') });
  } catch (cause) {
    throw new Mismatch('data', { cause });
  }
}

function asHex(text: string): Hex {
  requireMatch(/^0x([0-9a-fA-F]{2})*$/.test(text), 'hex');
  return `0x${text.slice(2)}`;
}

function isSame(left: string, right: string): boolean {
  return getAddress(left) === getAddress(right);
}

function requireMatch(isAsShown: boolean, part: string): void {
  if (!isAsShown) throw new Mismatch(part);
}
