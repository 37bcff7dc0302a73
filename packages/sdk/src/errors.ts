/** The errors of the client. Whatever a call rejects with, other than its own signal's reason, is a `SluiceError`. */
import { retryableByCode } from './generated/types.ts';

/** A code of the gateway. Codes are never renamed; a newer gateway may have more of them. */
export type ErrorCode = keyof typeof retryableByCode | (string & {});

/** One bad field: its path in the request, and the fact with its limit. */
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

/** The gateway answered, and refused. */
export class SluiceApiError extends SluiceError {
  override readonly name = 'SluiceApiError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** The one field that is at fault. */
  readonly param: string | undefined;
  /** Every bad field, of a VALIDATION_ERROR. */
  readonly details: FieldFault[];
  /** Names this request in the gateway's logs. */
  readonly requestId: string | undefined;
  /** How long the gateway asks to wait before a retry. */
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

/** No answer came: the host is not there, or the connection broke. A write may have happened: repeat it with the same idempotency key. */
export class SluiceConnectionError extends SluiceError {
  override readonly name: string = 'SluiceConnectionError';

  constructor(message: string, cause?: unknown) {
    super(message, { retryable: true, cause });
  }
}

/** No answer came in time. */
export class SluiceTimeoutError extends SluiceConnectionError {
  override readonly name = 'SluiceTimeoutError';
}

/** The client was made or called in a way that cannot work. */
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
