import { ApiError } from '../../api/api-error.ts';

/** What the API says is wrong with one field, by the end of its name; undefined when nothing is. */
export function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const detail = error.fault.details?.find(({ param }) => param === field || param.startsWith(`${field}[`));
  return detail?.message;
}
