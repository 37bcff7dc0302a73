/** An error of the API as one of the sentences under `checkout.fault`. */
import type { ApiError } from '../../api/api-error.ts';

export type ApiSentence =
  | 'NETWORK'
  | 'QUOTE_EXPIRED'
  | 'UNDER_WAY'
  | 'NO_PAYOUT'
  | 'CHAIN_DOWN'
  | 'PRICE_DOWN'
  | 'PAUSED'
  | 'BUSY'
  | 'BAD_SIGNATURE'
  | 'OVER'
  | 'FAILED';

const sentences: Readonly<Record<string, ApiSentence>> = {
  NETWORK: 'NETWORK',
  QUOTE_EXPIRED: 'QUOTE_EXPIRED',
  CHAIN_UNAVAILABLE: 'CHAIN_DOWN',
  PRICE_UNAVAILABLE: 'PRICE_DOWN',
  CHAIN_PAUSED: 'PAUSED',
  RATE_LIMIT_EXCEEDED: 'BUSY',
  IDEMPOTENCY_IN_FLIGHT: 'BUSY',
  UNAVAILABLE: 'BUSY',
  INVALID_STATE: 'OVER',
  EXPIRED: 'OVER',
};

export function apiSentence(error: Pick<ApiError, 'code' | 'fault'>): ApiSentence {
  const { code, fault } = error;
  if (code === 'CONFLICT') return fault.message.includes('payout address') ? 'NO_PAYOUT' : 'UNDER_WAY';
  if (code === 'VALIDATION_ERROR') {
    const isSignature = fault.details?.some(({ param }) => param.startsWith('signatures'));
    return isSignature ? 'BAD_SIGNATURE' : 'FAILED';
  }
  return sentences[code] ?? 'FAILED';
}
