import { GatewayError } from '../../errors.ts';

/**
 * Returns CHAIN_UNAVAILABLE for a field of the record. It names the record as its source, so that it does not affect the status of the
 * response as a whole.
 */
export function recordUnavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', message, { meta: { source: 'chain-record' }, cause });
}
