/**
 * The terms of a payment into Sluice's escrow contract, as a 402 response offers them, and what a buyer must check before signing. The
 * hash of the complete terms is the payment's id and the nonce of the authorization, so the signature agrees to all of them.
 */
import type { PaymentRequirements } from '@x402/core/types';
import { type Address, type Hex, hashStruct, isAddress, isAddressEqual, zeroAddress } from 'viem';

const termsFields = [
  { name: 'intentId', type: 'bytes32' },
  { name: 'payer', type: 'address' },
  { name: 'merchant', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'amount', type: 'uint128' },
  { name: 'authorizeBy', type: 'uint40' },
  { name: 'captureBy', type: 'uint40' },
  { name: 'timelock', type: 'uint32' },
  { name: 'disputeWindow', type: 'uint32' },
  { name: 'disputeTimeout', type: 'uint32' },
  { name: 'timeoutPayerBps', type: 'uint16' },
  { name: 'feeBps', type: 'uint16' },
  { name: 'feeRecipient', type: 'address' },
  { name: 'operator', type: 'address' },
  { name: 'arbiter', type: 'address' },
  { name: 'quoteHash', type: 'bytes32' },
  { name: 'captureOnAuthorize', type: 'bool' },
] as const;

const INTEGERS = [
  'authorizeBy',
  'captureBy',
  'timelock',
  'disputeWindow',
  'disputeTimeout',
  'timeoutPayerBps',
  'feeBps',
] as const;
const ADDRESSES = ['merchant', 'token', 'feeRecipient', 'operator', 'arbiter'] as const;

/** Times are in Unix seconds, spans in seconds, the amount in base units. */
export type OfferedTerms = Record<(typeof INTEGERS)[number], number> &
  Record<(typeof ADDRESSES)[number], Address> & {
    intentId: Hex;
    quoteHash: Hex;
    amount: bigint;
    captureOnAuthorize: boolean;
  };

export type EscrowLimits = {
  /** Escrow contracts that may hold the buyer's money, on any chain. */
  escrows: readonly string[];
  /** The addresses that may be paid; anyone by default. */
  receivers?: readonly string[] | undefined;
  /** The addresses that may decide disputes; by default anyone except the merchant, the operator and the buyer. */
  arbiters?: readonly string[] | undefined;
  /** The shortest time after the capture in which the buyer can open a dispute; 0 by default. */
  minDisputeWindowSeconds?: number | undefined;
  /** How far in the future the end of the authorization may be; an hour by default. */
  maxAuthorizeSeconds?: number | undefined;
};

/** The offered terms are not acceptable. Nothing has been signed. */
export class EscrowTermsError extends Error {
  override readonly name = 'EscrowTermsError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(`The terms of the escrow payment are refused: ${message}`);
    this.field = field;
  }
}

const DAY = 86_400;

/** Throws an EscrowTermsError for the first fault. `now` is in Unix seconds. */
export function checkTerms(
  requirements: PaymentRequirements,
  about: { payer: Address; now: number; limits: EscrowLimits },
): OfferedTerms {
  const { extra } = requirements;
  checkPlace(requirements, about.limits);
  const terms = readTerms(extra.terms);
  checkMoney(terms, requirements);
  checkParties(terms, about);
  checkTimes(terms, about);
  return terms;
}

export function chainIdOf(network: string): number {
  const [, chainId] = /^eip155:([1-9]\d{0,15})$/.exec(network) ?? [];
  if (chainId === undefined) throw new EscrowTermsError('network', `${network} is no EVM chain.`);
  return Number(chainId);
}

/** The id of the payment, which the payer signs as the nonce of the authorization. */
export function paymentId(terms: OfferedTerms, payer: Address): Hex {
  return hashStruct({ data: { ...terms, payer }, primaryType: 'PaymentTerms', types: { PaymentTerms: termsFields } });
}

function checkPlace({ network, payTo, extra }: PaymentRequirements, { escrows }: EscrowLimits): void {
  const escrow = extra.escrow;
  if (typeof escrow !== 'string' || !isAddress(escrow, { strict: false }))
    refuse('escrow', 'no escrow contract is named.');
  if (!includes(escrows, escrow)) refuse('escrow', `the contract ${escrow} is not one of the allowed escrows.`);
  if (!isSame(payTo, escrow)) refuse('payTo', 'the receiver of the tokens is not the escrow contract.');
  const domain = record(extra.domain, 'domain');
  if (Number(domain.chainId) !== chainIdOf(network)) refuse('domain', 'the chain of the contract is another one.');
  if (!isSame(String(domain.verifyingContract), escrow)) refuse('domain', 'the contract of the domain is another one.');
}

function readTerms(value: unknown): OfferedTerms {
  const terms = record(value, 'terms');
  const known = new Set<string>(termsFields.map(({ name }) => name));
  const unknown = Object.keys(terms).find((name) => !known.has(name) || name === 'payer');
  if (unknown !== undefined) refuse(unknown, `${unknown} is no field of an offer.`);
  const read: Record<string, unknown> = {};
  for (const name of ['intentId', 'quoteHash']) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(String(terms[name]))) refuse(name, `${name} is not 32 bytes.`);
    read[name] = terms[name];
  }
  for (const name of ADDRESSES) {
    if (!isAddress(String(terms[name]), { strict: false })) refuse(name, `${name} is no address.`);
    read[name] = terms[name];
  }
  for (const name of INTEGERS) {
    if (!/^\d{1,13}$/.test(String(terms[name]))) refuse(name, `${name} is no integer.`);
    read[name] = Number(terms[name]);
  }
  if (!/^\d{1,39}$/.test(String(terms.amount))) refuse('amount', 'amount is no integer.');
  if (typeof terms.captureOnAuthorize !== 'boolean') refuse('captureOnAuthorize', 'captureOnAuthorize is no boolean.');
  return {
    ...read,
    amount: BigInt(String(terms.amount)),
    captureOnAuthorize: terms.captureOnAuthorize,
  } as OfferedTerms;
}

function checkMoney(terms: OfferedTerms, { amount, asset }: PaymentRequirements): void {
  if (!/^\d{1,39}$/.test(amount) || terms.amount !== BigInt(amount) || terms.amount === 0n) {
    refuse('amount', `the terms take ${terms.amount} base units, and the offer says ${amount}.`);
  }
  if (!isSame(terms.token, asset))
    refuse('token', `the terms take the token ${terms.token}, and the offer says ${asset}.`);
  if (isSame(terms.token, zeroAddress)) refuse('token', 'the native coin cannot be paid this way.');
  if (terms.feeBps > 1_000) refuse('feeBps', `a fee of ${terms.feeBps} basis points exceeds 1000.`);
  if (terms.timeoutPayerBps > 10_000) refuse('timeoutPayerBps', 'more than everything would be returned.');
}

function checkParties(terms: OfferedTerms, { payer, limits }: { payer: Address; limits: EscrowLimits }): void {
  const { merchant, operator, arbiter, disputeWindow } = terms;
  if (isSame(merchant, zeroAddress)) refuse('merchant', 'nobody is paid.');
  if (isSame(operator, zeroAddress)) refuse('operator', 'there is no operator.');
  if (isSame(merchant, payer)) refuse('merchant', 'the buyer is the receiver.');
  if (limits.receivers && !includes(limits.receivers, merchant)) {
    refuse('merchant', `${merchant} is not one of the allowed receivers.`);
  }
  const hasArbiter = !isSame(arbiter, zeroAddress);
  if (hasArbiter !== disputeWindow > 0) refuse('arbiter', 'an arbiter and a dispute window belong together.');
  if (disputeWindow < (limits.minDisputeWindowSeconds ?? 0)) {
    refuse(
      'disputeWindow',
      `a dispute window of ${disputeWindow} s is shorter than ${limits.minDisputeWindowSeconds} s.`,
    );
  }
  if (!hasArbiter) return;
  if ([merchant, operator, payer].some((party) => isSame(party, arbiter))) {
    refuse('arbiter', 'the arbiter is a party of the payment.');
  }
  if (limits.arbiters && !includes(limits.arbiters, arbiter)) {
    refuse('arbiter', `${arbiter} is not one of the allowed arbiters.`);
  }
}

function checkTimes(terms: OfferedTerms, { now, limits }: { now: number; limits: EscrowLimits }): void {
  const { authorizeBy, captureBy, timelock, disputeWindow, disputeTimeout } = terms;
  if (authorizeBy <= now) refuse('authorizeBy', 'the offer has expired.');
  const longest = limits.maxAuthorizeSeconds ?? 3_600;
  if (authorizeBy > now + longest) refuse('authorizeBy', `the offer ends more than ${longest} s from now.`);
  if (captureBy < authorizeBy || captureBy > now + 90 * DAY) refuse('captureBy', 'captureBy is out of range.');
  if (timelock > 180 * DAY) refuse('timelock', 'the timelock is longer than 180 days.');
  if (disputeWindow > timelock) refuse('disputeWindow', 'the dispute window is longer than the timelock.');
  if (disputeWindow > 0 && (disputeTimeout < 7 * DAY || disputeTimeout > 90 * DAY)) {
    refuse('disputeTimeout', 'the dispute timeout is not between 7 and 90 days.');
  }
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) refuse(name, `${name} is missing.`);
  return value as Record<string, unknown>;
}

function includes(list: readonly string[], address: string): boolean {
  return list.some((one) => isSame(one, address));
}

function isSame(one: string, other: string): boolean {
  if (!isAddress(one, { strict: false }) || !isAddress(other, { strict: false })) return false;
  return isAddressEqual(one, other);
}

function refuse(field: string, message: string): never {
  throw new EscrowTermsError(field, message);
}
