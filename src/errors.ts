/** The error class of the gateway, and the catalog of its error codes. Codes are part of the API and are never renamed or reused. */

type CatalogueEntry = { status: number; retryable: boolean; title: string };

export const errorCatalogue = {
  /** Of automatic persisted queries: the client repeats the request with the document's text. */
  PERSISTED_QUERY_NOT_FOUND: { status: 200, retryable: false, title: 'The document is not registered' },
  VALIDATION_ERROR: { status: 400, retryable: false, title: 'The request is not valid' },
  AUTHENTICATION_ERROR: { status: 401, retryable: false, title: 'The credential is missing or not valid' },
  AUTHORIZATION_ERROR: { status: 403, retryable: false, title: 'The credential may not do this' },
  NOT_FOUND: { status: 404, retryable: false, title: 'No such resource' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, title: 'The path does not accept this method' },
  INVALID_STATE: { status: 409, retryable: false, title: 'The resource is not in a state that allows this' },
  CONFLICT: { status: 409, retryable: false, title: 'The request conflicts with existing data' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, retryable: true, title: 'The same request is still running' },
  QUOTE_EXPIRED: { status: 409, retryable: false, title: 'The quote has expired' },
  EXPIRED: { status: 410, retryable: false, title: 'The resource has expired' },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, title: 'The media type of the body is not supported' },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false, title: 'The idempotency key was used with other parameters' },
  RATE_LIMIT_EXCEEDED: { status: 429, retryable: true, title: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, retryable: true, title: 'Something went wrong on our side' },
  CHAIN_UNAVAILABLE: { status: 502, retryable: true, title: 'The chain cannot be reached' },
  PRICE_UNAVAILABLE: { status: 502, retryable: true, title: 'No fresh price is available' },
  /** The database is unavailable, or a write waited too long. Unless the connection was lost during a commit, nothing was changed. */
  UNAVAILABLE: { status: 503, retryable: true, title: 'The service cannot do this at the moment' },
  CHAIN_PAUSED: { status: 503, retryable: true, title: 'New payments on this chain are paused' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An invalid field: its path in the request, and what is wrong with it, including the limit. */
export type FieldFault = { param: string; message: string };

export type GatewayErrorOptions = {
  /** The invalid field, if there is only one. */
  param?: string;
  /** Every invalid field, for VALIDATION_ERROR. */
  details?: FieldFault[];
  /** IDs and amounts for the log; never a secret or the URL of a node. */
  meta?: Record<string, unknown>;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** The only error that Sluice throws deliberately. Any other error is a bug, and its message is not returned to callers. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: FieldFault[] | undefined;
  readonly meta: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param ?? (options.details?.length === 1 ? options.details[0]?.param : undefined);
    this.details = options.details;
    this.meta = options.meta;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get retryable(): boolean {
    return errorCatalogue[this.code].retryable;
  }
}

/** Returns the same error for a missing resource and for one of another merchant. */
export function notFound(resource: string, param?: string): GatewayError {
  return new GatewayError('NOT_FOUND', `No such ${resource}.`, param === undefined ? {} : { param });
}

/** Number of errors that a message lists. */
const SPELLED_OUT = 20;

/** Returns the error for an invalid request. `details` contains every invalid field, the message only the first ones. */
export function invalid(details: FieldFault[]): GatewayError {
  const first = details.slice(0, SPELLED_OUT).map((fault) => `${fault.param}: ${fault.message}`);
  const omitted = details.length - first.length;
  const words = [...first, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('; ');
  return new GatewayError('VALIDATION_ERROR', words, { details });
}
