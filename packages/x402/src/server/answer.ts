/** Responses that are sent instead of the resource. */
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import type { Settlement } from '../gateway/gateway-client.ts';

export type Answer = { status: number; headers: Record<string, string>; body: string };

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const EXPOSED = 'PAYMENT-REQUIRED, PAYMENT-RESPONSE';

/** 402 with the requirements in the header, where clients of x402 read them, and in the body, where people do. */
export function paymentRequired(required: PaymentRequired, failed?: Settlement): Answer {
  return {
    status: 402,
    headers: {
      ...JSON_HEADERS,
      'access-control-expose-headers': EXPOSED,
      'payment-required': encodePaymentRequiredHeader(required),
      ...(failed ? { 'payment-response': encodePaymentResponseHeader(publicSettlement(failed)) } : {}),
    },
    body: JSON.stringify(required),
  };
}

export function unavailable(): Answer {
  const message = 'Payments cannot be accepted at the moment. Nothing has been charged for this request.';
  return failure(503, 'payment_unavailable', message, 5);
}

/** The same for a request with a payment, which an earlier request may have submitted. */
export function paymentDelayed(): Answer {
  const message =
    'Payments cannot be accepted at the moment. Repeat the request later with the same PAYMENT-SIGNATURE header; do not sign again.';
  return failure(503, 'payment_unavailable', message, 5);
}

export function pending(): Answer {
  const message =
    'The payment may have been submitted, and its outcome is not known yet. Repeat the request with the same PAYMENT-SIGNATURE header; do not sign again.';
  return failure(503, 'settlement_pending', message, 2);
}

export function inProgress(): Answer {
  return failure(409, 'payment_in_progress', 'Another request with the same payment is in progress.', 1);
}

/** The URL is too long to be quoted for, or the `Host` header is no host. */
export function badAddress(): Answer {
  return failure(400, 'invalid_address', 'The URL or the Host header of the request is invalid or too long.');
}

export function tooLarge(limit: number): Answer {
  const message = `The response exceeds the ${limit} bytes that can be held until a payment settles. Nothing has been charged.`;
  return failure(500, 'response_too_large', message);
}

/** The header of a paid response, and what keeps shared caches from storing the receipt. */
export function receiptHeaders(settlement: Settlement): Record<string, string> {
  return { 'payment-response': encodePaymentResponseHeader(publicSettlement(settlement)) };
}

function failure(status: number, error: string, message: string, retryAfterSeconds?: number): Answer {
  return {
    status,
    headers: {
      ...JSON_HEADERS,
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }),
    },
    body: JSON.stringify({ error, message }),
  };
}

/** Without the merchant's own fields. */
function publicSettlement(settlement: Settlement): Settlement {
  const { replayed: _, retryable: __, paymentIntentId: ___, ...shared } = settlement;
  return shared;
}

/** Adds `private`, so that no shared cache stores what one client has paid for. */
export function privateCacheControl(value: string | null | undefined): string {
  if (!value) return 'private';
  const directives = value.toLowerCase().split(',');
  return directives.some((one) => ['private', 'no-store'].includes(one.trim())) ? value : `${value}, private`;
}
