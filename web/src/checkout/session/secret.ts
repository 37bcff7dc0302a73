/**
 * A session's client secret: it is in the fragment of the address, which browsers do not send, and is stored for this tab, so that a reload
 * without it shows the same session. It is only sent to the GraphQL API of this installation.
 */

const PREFIX = 'sluice.secret.';

export function keepSecret(sessionId: string, secret: string): void {
  sessionStorage.setItem(PREFIX + sessionId, secret);
}

/** Returns the secret in the address, or else the one stored for the tab. */
export function secretOf(sessionId: string, hash: string): string | undefined {
  const given = hash.replace(/^#/, '');
  if (given !== '') {
    keepSecret(sessionId, given);
    return given;
  }
  return sessionStorage.getItem(PREFIX + sessionId) ?? undefined;
}
