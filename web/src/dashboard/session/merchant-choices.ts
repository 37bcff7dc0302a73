/** The merchants from which a person may choose, read from the message of the API's CONFLICT error: "<id> is <name>". */
import { ApiError } from '../../api/api-error.ts';

export function merchantChoices(error: unknown): { id: string; name: string }[] {
  if (!(error instanceof ApiError) || error.code !== 'CONFLICT') return [];
  return (error.fault.details ?? []).flatMap(({ param, message }) => {
    const [, id, name] = /^([0-9a-f-]{36}) is (.+)$/s.exec(message) ?? [];
    return param === 'merchantId' && id && name ? [{ id, name }] : [];
  });
}
