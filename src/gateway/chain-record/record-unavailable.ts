import { GatewayError } from '../../errors.ts';

/**
 * CHAIN_UNAVAILABLE for a field of the record. It names the record as its source, so that the status of the answer as a whole
 * stays what the other fields make it.
 */
export function recordUnavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', message, { meta: { source: 'chain-record' }, cause });
}
