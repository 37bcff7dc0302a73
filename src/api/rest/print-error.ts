import { errorCatalogue, type GatewayError } from '../../errors.ts';

export type PrintedError = { status: number; contentType: string; body: string; headers: Record<string, string> };

const PROBLEM = 'application/problem+json';

/** Prints an error for the caller: `{ success: false, error }`, or a problem (RFC 9457) if `accept` requests one. */
export function printError(
  error: GatewayError,
  request: { requestId: string; path: string; accept: string | undefined },
): PrintedError {
  const fields = {
    code: error.code,
    message: error.message,
    ...(error.param === undefined ? {} : { param: error.param }),
    ...(error.details === undefined ? {} : { details: error.details }),
    requestId: request.requestId,
  };
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterSeconds));
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (!asksForProblem(request.accept)) {
    const body = JSON.stringify({ success: false, error: fields });
    return { status: error.status, contentType: 'application/json; charset=utf-8', body, headers };
  }
  const { message, ...rest } = fields;
  const problem = {
    type: `urn:sluice:error:${error.code.toLowerCase()}`,
    title: errorCatalogue[error.code].title,
    status: error.status,
    detail: message,
    instance: request.path,
    ...rest,
  };
  return { status: error.status, contentType: PROBLEM, body: JSON.stringify(problem), headers };
}

function asksForProblem(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === PROBLEM && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
