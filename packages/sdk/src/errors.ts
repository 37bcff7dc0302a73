/** The errors of the client. A call rejects with a `SluiceError`, or with the reason of its own signal. */
import { retryableByCode } from './generated/types.ts';

/** An error code of the gateway. Codes are never renamed; a newer gateway may have additional ones. */
export type ErrorCode = keyof typeof retryableByCode | (string & {});

/** An invalid field: its path in the request, and what is wrong with it, including any limit. */
export type FieldFault = { param: string; message: string };

export class SluiceError extends Error {
  override readonly name: string = 'SluiceError';
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable;
  }
}

export type ApiErrorFields = {
  code: ErrorCode;
  message: string;
  status: number;
  param?: string | undefined;
  details?: FieldFault[] | undefined;
  requestId?: string | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
};

/** The gateway responded with an error. */
export class SluiceApiError extends SluiceError {
  override readonly name = 'SluiceApiError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** The invalid field, if there is only one. */
  readonly param: string | undefined;
  /** Every invalid field, for a VALIDATION_ERROR. */
  readonly details: FieldFault[];
  /** Identifies this request in the gateway's logs. */
  readonly requestId: string | undefined;
  /** Delay that the gateway requests before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: ApiErrorFields) {
    super(`${fields.code}: ${fields.message}`, { retryable: fields.retryable ?? isRetryable(fields) });
    this.code = fields.code;
    this.status = fields.status;
    this.param = fields.param;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/**
 * There was no response: the host is unreachable, or the connection broke. A write may have taken effect; repeat it with the same
 * idempotency key.
 */
export class SluiceConnectionError extends SluiceError {
  override readonly name: string = 'SluiceConnectionError';

  constructor(message: string, cause?: unknown) {
    super(message, { retryable: true, cause });
  }
}

/** There was no response within the timeout. */
export class SluiceTimeoutError extends SluiceConnectionError {
  override readonly name = 'SluiceTimeoutError';
}

/** The client was created or called with invalid arguments. Nothing was sent. */
export class SluiceUsageError extends SluiceError {
  override readonly name = 'SluiceUsageError';

  constructor(message: string) {
    super(message, { retryable: false });
  }
}

const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

function isRetryable({ code, status }: ApiErrorFields): boolean {
  const byCode: Record<string, boolean | undefined> = retryableByCode;
  return byCode[code] ?? retryableStatuses.has(status);
}
