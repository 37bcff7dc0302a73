/** Why a link could not be started, in the payer's words. Pure. */
import type { ApiError } from '../../api/api-error.ts';
import { type ApiSentence, apiSentence } from '../pay/api-fault.ts';

type Refusal = Pick<ApiError, 'code' | 'fault'>;

/** Sentences about a payment, while none has begun here. */
const ofPayments = new Set<ApiSentence>(['FAILED', 'OVER', 'UNDER_WAY', 'QUOTE_EXPIRED', 'BAD_SIGNATURE']);

/** The name of the sentence under `checkout.fault`. */
export function beginSentence(error: Refusal): ApiSentence | 'UNOPENED' {
  const sentence = apiSentence(error);
  return ofPayments.has(sentence) ? 'UNOPENED' : sentence;
}

/** The link was deactivated or deleted after this page loaded it. A refused coupon code has the same codes, and names its field. */
export function isInactive({ code, fault }: Refusal): boolean {
  return (code === 'INVALID_STATE' || code === 'NOT_FOUND') && fault.param === undefined;
}

/** The refusal of a code: unknown, expired, used up, or of another currency. */
export function isCouponFault({ fault: { param, details } }: Refusal): boolean {
  return param === 'couponCode' || details?.some((detail) => detail.param === 'couponCode') === true;
}

/** The refusal of more units than are left in stock. */
export function isTooMany({ code, fault }: Refusal): boolean {
  return code === 'CONFLICT' && fault.param === 'quantity';
}
