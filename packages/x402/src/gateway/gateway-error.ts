/** The gateway gave no usable response. `isAway` is true if the same call may succeed later. */
export class X402GatewayError extends Error {
  override readonly name = 'X402GatewayError';
  readonly isAway: boolean;
  /** The HTTP status, or undefined if there was no response. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** Whether the same fault has just been reported, and this one need not be. */
  readonly isSilent: boolean;

  constructor(
    message: string,
    about: { isAway: boolean; status?: number; code?: string; isSilent?: boolean; cause?: unknown },
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.isAway = about.isAway;
    this.status = about.status;
    this.code = about.code;
    this.isSilent = about.isSilent ?? false;
  }
}
