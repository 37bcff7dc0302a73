/** An error of the API, in the form that the pages handle. */
export type Fault = {
  /** The API's code, such as VALIDATION_ERROR; NETWORK if there was no response. */
  code: string;
  message: string;
  /** The field or argument that caused it, if the API names one. */
  param?: string | undefined;
  /** The invalid fields, with the reason for each. */
  details?: readonly { param: string; message: string }[] | undefined;
  requestId?: string | undefined;
  /** Whether the same request may succeed later. */
  retryable?: boolean | undefined;
};

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.message, options);
    this.fault = fault;
  }

  get code(): string {
    return this.fault.code;
  }
}

export function networkFault(cause: unknown, requestId?: string): ApiError {
  const fault = { code: 'NETWORK', message: 'There was no answer.', requestId, retryable: true };
  return new ApiError(fault, { cause });
}

/** Reads the first error of the list `errors` in a GraphQL response. */
export function printedFault(errors: readonly unknown[], requestId?: string): ApiError {
  const [first] = errors;
  const { message, extensions } = asRecord(first);
  const { code, details, param, retryable, requestId: named } = asRecord(extensions);
  return new ApiError({
    code: typeof code === 'string' ? code : 'INTERNAL_ERROR',
    message: typeof message === 'string' ? message : 'Something failed.',
    param: typeof param === 'string' ? param : undefined,
    details: Array.isArray(details) ? details.map(readDetail) : undefined,
    requestId: typeof named === 'string' ? named : requestId,
    retryable: retryable === true,
  });
}

function readDetail(detail: unknown): { param: string; message: string } {
  const { param, message } = asRecord(detail);
  return { param: String(param ?? ''), message: String(message ?? '') };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
