/** Under which key a link is begun: one session for the same answers, however often they are sent and however bad the line is. Pure. */
export type BeginKey = { key: string; answers: string };

/** The one before for the same answers, else `fresh`. */
export function beginKey(before: BeginKey | undefined, input: object, fresh: string): BeginKey {
  const answers = JSON.stringify(input);
  return before?.answers === answers ? before : { key: fresh, answers };
}

/** After these faults a session may have been begun, or may be about to be: the next try must be the same one. */
const open = new Set(['NETWORK', 'IDEMPOTENCY_IN_FLIGHT']);

export function afterBeginFault(before: BeginKey | undefined, code: string | undefined): BeginKey | undefined {
  return code === undefined || open.has(code) ? before : undefined;
}
