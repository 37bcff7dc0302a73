/**
 * The idempotency keys of failed calls, and the resources that each call concerned. There is one map per login, so that it outlives a
 * dialog.
 */
export type FailedCalls = Map<string, { idempotencyKey: string; about: readonly string[] }>;

type Asked<Result> = {
  /** Two calls with the same document and variables are the same call. */
  document: object;
  variables: object;
  failed: FailedCalls;
  /** Pending calls, by document and variables. */
  underWay: Map<string, Promise<Result>>;
};

/**
 * Sends a call with its own idempotency key. A call that is identical to a pending one returns the promise of the pending one. A call that
 * is identical to a failed one reuses its key, because the failed call may have been executed. A success deletes the failed calls for the
 * same resources only. For example, pausing, resuming and pausing again are three calls, and the third must not return the response of the
 * first. A refund that is repeated after a lost response is one refund, even if there was another action in between.
 */
export function sendOnce<Result>(
  { document, variables, failed, underWay }: Asked<Result>,
  send: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const asked = JSON.stringify([String(document), variables]);
  const pending = underWay.get(asked);
  if (pending) return pending;
  const about = aboutWhat(document, variables);
  const idempotencyKey = failed.get(asked)?.idempotencyKey ?? crypto.randomUUID();
  const answer = send(idempotencyKey)
    .then(
      (result) => {
        for (const [other, failure] of failed)
          if (failure.about.some((name) => about.includes(name))) failed.delete(other);
        return result;
      },
      (fault: unknown) => {
        failed.set(asked, { idempotencyKey, about });
        throw fault;
      },
    )
    .finally(() => underWay.delete(asked));
  underWay.set(asked, answer);
  return answer;
}

/**
 * The resources whose ids the variables contain, except the app, which contains all others. Without ids, the call concerns its own
 * document.
 */
function aboutWhat(document: object, variables: object): string[] {
  const ids = Object.entries(variables)
    .filter(([name]) => name === 'id' || (name.endsWith('Id') && name !== 'appId'))
    .map(([, value]) => String(value));
  return ids.length > 0 ? ids : [String(document)];
}
