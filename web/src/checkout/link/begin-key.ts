/** Under which key a link is begun: one session for the same answers, however often they are sent and however bad the line is. Pure. */
export type BeginKey = { key: string; answers: string };

/** The one before for the same answers, else `fresh`. */
export function beginKey(before: BeginKey | undefined, input: object, fresh: string): BeginKey {
  const answers = JSON.stringify(input);
  return before?.answers === answers ? before : { key: fresh, answers };
}

/**
 * Only what refuses the answers for good says that no session was begun with them. After any other fault one may have been,
 * or may be about to be: the next try must be the same one, and the API keeps no failure under its key.
 */
export function afterBeginFault(
  before: BeginKey | undefined,
  fault: { code: string; retryable?: boolean | undefined } | undefined,
): BeginKey | undefined {
  return !fault || fault.retryable || fault.code === 'INTERNAL_ERROR' ? before : undefined;
}
