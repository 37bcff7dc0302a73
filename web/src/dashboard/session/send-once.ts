/** Idempotency keys of calls that failed, by what they asked. One login has one, so that it outlives a dialogue. */
export type FailedKeys = Map<string, string>;

type Asked<Result> = {
  /** What makes two presses the same call: the document and its variables as JSON. */
  asked: string;
  failed: FailedKeys;
  /** Calls that wait for their answer, by what they ask. */
  underWay: Map<string, Promise<Result>>;
};

/**
 * Sends what one press asks for with an idempotency key of its own. The same while it is under way is the same promise.
 * The same after a failure has the failed call's key, for it may have been done all the same. A success forgets every
 * failure: whoever pauses, resumes and pauses again wants three things, and never the first answer again.
 */
export function sendOnce<Result>(
  { asked, failed, underWay }: Asked<Result>,
  send: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const twin = underWay.get(asked);
  if (twin) return twin;
  const idempotencyKey = failed.get(asked) ?? crypto.randomUUID();
  const answer = send(idempotencyKey)
    .then(
      (result) => {
        failed.clear();
        return result;
      },
      (fault: unknown) => {
        failed.set(asked, idempotencyKey);
        throw fault;
      },
    )
    .finally(() => underWay.delete(asked));
  underWay.set(asked, answer);
  return answer;
}
