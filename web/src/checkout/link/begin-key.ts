/** The idempotency key with which a link is started: the same answers lead to one session, however often they are sent. Pure. */
export type BeginKey = { key: string; answers: string };

/** Returns the previous key for the same answers, and otherwise `fresh`. */
export function beginKey(before: BeginKey | undefined, input: object, fresh: string): BeginKey {
  const answers = JSON.stringify(input);
  return before?.answers === answers ? before : { key: fresh, answers };
}

/**
 * Only a permanent refusal of the answers shows that no session was started with them. After any other fault, a session may exist or be
 * about to, so the next attempt must have the same key. The API stores no failures under a key.
 */
export function afterBeginFault(
  before: BeginKey | undefined,
  fault: { code: string; retryable?: boolean | undefined } | undefined,
): BeginKey | undefined {
  return !fault || fault.retryable || fault.code === 'INTERNAL_ERROR' ? before : undefined;
}
