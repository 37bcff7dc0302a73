/** Errors of the gateway as errors of Medusa, so that its admin and its logs show what happened. */
import { MedusaError } from '@medusajs/framework/utils';
import { SluiceApiError, SluiceError } from '@sluice/sdk';

/** Runs `call`, and throws its errors as a MedusaError that begins with what was attempted. */
export async function attempt<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof SluiceError ? medusaError(what, error) : error;
  }
}

export function isInvalidState(error: unknown): boolean {
  return error instanceof SluiceApiError && error.code === 'INVALID_STATE';
}

function medusaError(what: string, error: SluiceError): MedusaError {
  const request = error instanceof SluiceApiError && error.requestId ? ` (request ${error.requestId})` : '';
  const details =
    error instanceof SluiceApiError ? error.details.map((one) => ` ${one.param} ${one.message}.`).join('') : '';
  return new MedusaError(typeOf(error), `Sluice: ${what} failed. ${error.message}${details}${request}`);
}

function typeOf(error: SluiceError): string {
  if (!(error instanceof SluiceApiError)) return MedusaError.Types.UNEXPECTED_STATE;
  switch (error.code) {
    case 'VALIDATION_ERROR':
    case 'IDEMPOTENCY_MISMATCH':
      return MedusaError.Types.INVALID_DATA;
    case 'INVALID_STATE':
    case 'EXPIRED':
      return MedusaError.Types.NOT_ALLOWED;
    case 'NOT_FOUND':
      return MedusaError.Types.NOT_FOUND;
    default:
      return MedusaError.Types.UNEXPECTED_STATE;
  }
}
