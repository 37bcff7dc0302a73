/**
 * Calls that failed, by what they asked: the idempotency key of each, and what it was about. One login has one, so that it
 * outlives a dialogue.
 */
export type FailedCalls = Map<string, { idempotencyKey: string; about: readonly string[] }>;

type Asked<Result> = {
  /** With its variables it makes two presses the same call. */
  document: object;
  variables: object;
  failed: FailedCalls;
  /** Calls that wait for their answer, by what they ask. */
  underWay: Map<string, Promise<Result>>;
};

/**
 * Sends what one press asks for with an idempotency key of its own. The same while it is under way is the same promise.
 * The same after a failure has the failed call's key, for it may have been done all the same. A success forgets the failures
 * about the same thing, and no other: whoever pauses, resumes and pauses again wants three things, and never the first
 * answer again; whoever refunds, has no answer, does something else and refunds again wants one refund.
 */
export function sendOnce<Result>(
  { document, variables, failed, underWay }: Asked<Result>,
  send: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const asked = JSON.stringify([String(document), variables]);
  const twin = underWay.get(asked);
  if (twin) return twin;
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

/** The things that its ids name; the app, within which all of them are, is none. What names nothing is about its own kind. */
function aboutWhat(document: object, variables: object): string[] {
  const ids = Object.entries(variables)
    .filter(([name]) => name === 'id' || (name.endsWith('Id') && name !== 'appId'))
    .map(([, value]) => String(value));
  return ids.length > 0 ? ids : [String(document)];
}
