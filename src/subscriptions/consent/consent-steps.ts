/** The steps with which a payer's wallet starts a subscription, or renews its consent: grant the allowance and sign the consent. */
import type { Address, Hex, TypedDataDefinition } from 'viem';
import { contractAddress, type Token } from '../../chains/chain.ts';
import { permitTypedData } from '../../chains/evm/erc20.ts';
import { typedDataToJson } from '../../chains/evm/typed-data-json.ts';
import { approveSteps, type PaymentStep } from '../../checkout/payment-step.ts';
import { consentTypedData, type RecurringConsent } from '../../escrow/consent.ts';
import { type PromisedPrice, printPromise } from './promised-price.ts';
import { type Billed, printInterval, printToken } from './recurring-consent.ts';

/** An EIP-2612 permit for the escrow; `value` in base units, `deadline` in Unix seconds. */
export type ConsentPermit = { value: bigint; deadline: number; nonce: bigint };

export type AskedConsent = {
  chainId: number;
  escrow: Address;
  token: Token;
  consent: RecurringConsent;
  /** Null for APPROVAL. */
  permit: ConsentPermit | null;
};

/** What the payer signs, in order. */
export function askedConsentSignatures(
  asked: AskedConsent,
): { name: 'permit' | 'consent'; typedData: TypedDataDefinition }[] {
  const { token, permit, consent } = asked;
  const agreed = { name: 'consent' as const, typedData: consentTypedData(asked) };
  if (permit === null) return [agreed];
  if (token.permit === null) throw new Error(`${token.key} does not support a permit.`);
  const typedData = permitTypedData({
    ...token.permit,
    chainId: asked.chainId,
    token: contractAddress(token),
    owner: consent.payer,
    spender: asked.escrow,
    ...permit,
  });
  return [{ name: 'permit', typedData }, agreed];
}

/**
 * `firstCharge`, `wanted` and `allowance` are in base units; `price` determines the interval. `promised` is what a coupon leaves and
 * the price after it; null without a coupon. To a metered price the cost of the usage is added.
 */
export function consentSteps(
  asked: AskedConsent & {
    price: Billed;
    firstCharge: bigint;
    /** Null unless the consent replaces another one; whether an invoice is open, which is then charged. */
    renews: { isDue: boolean } | null;
    promised: PromisedPrice | null;
    isMetered: boolean;
    wanted: bigint;
    allowance: bigint;
  },
): PaymentStep[] {
  const { token, consent, price } = asked;
  const cap = printToken(consent.capPerPeriod, token);
  const often = printInterval(price);
  const description = `Allow the escrow to take up to ${printToken(asked.wanted, token)} in all, at most ${cap} ${often}.`;
  const approvals =
    asked.permit === null && asked.allowance < asked.wanted
      ? approveSteps({ ...asked, amount: asked.wanted, description })
      : [];
  const words = { permit: description, consent: agreement(asked, { often, cap }) };
  const signatures = askedConsentSignatures(asked).map(
    ({ name, typedData }): PaymentStep => ({
      kind: 'signTypedData',
      name,
      typedData: typedDataToJson(typedData),
      description: words[name],
    }),
  );
  return [...approvals, ...signatures];
}

/** The sentence that the payer agrees to by signing the consent. */
function agreement(
  { price, token, consent, firstCharge, promised, isMetered, renews }: Parameters<typeof consentSteps>[0],
  { often, cap }: { often: string; cap: string },
): string {
  if (renews) {
    const later = `${often}, never more than ${cap} each time, until you revoke it. This replaces what was agreed before.`;
    return renews.isDue
      ? `Agree to pay the open invoice of ${printToken(firstCharge, token)} now, at the price of that moment, and then to be charged ${later}`
      : `Agree to be charged from ${startOf(consent)} on, ${later}`;
  }
  const isUnpaid = (price.trialPeriodDays ?? 0) > 0 || firstCharge === 0n;
  const now = `Agree to pay ${printToken(firstCharge, token)} now, and then`;
  if (promised) {
    const reduced = printPromise(promised, often, { isFirstPaid: !isUnpaid });
    const later = isMetered ? `${reduced}, plus the usage` : reduced;
    return isUnpaid
      ? `Agree to be charged ${later}, never more than ${cap} each time, from ${startOf(consent)} on, until you revoke it.`
      : `${now} ${later}, never more than ${cap} each time, until you revoke it.`;
  }
  return isUnpaid
    ? `Agree to be charged ${often}, never more than ${cap} each time, from ${startOf(consent)} on, until you revoke it.`
    : `${now} ${often} never more than ${cap}, until you revoke it.`;
}

function startOf(consent: RecurringConsent): string {
  return new Date(consent.start * 1000).toISOString().slice(0, 10);
}

export type ConsentSignatures = { consent: Hex; permit: Hex | null };
