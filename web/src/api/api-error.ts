/** What the API said was wrong, as the pages handle it. */
export type Fault = {
  /** The API's code, such as VALIDATION_ERROR; NETWORK when there was no answer. */
  code: string;
  message: string;
  /** The one field or argument that it is about, where the API names one. */
  param?: string | undefined;
  /** The fields that are wrong, with why. */
  details?: readonly { param: string; message: string }[] | undefined;
  requestId?: string | undefined;
  /** Whether the same again may succeed. */
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

/** Of the list `errors` of a GraphQL answer; the first one counts. */
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
