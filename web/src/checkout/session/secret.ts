/**
 * A session's client secret: it stands behind the # of the address, which browsers send to nobody, and is kept for this tab,
 * so that a reload without it finds the same place. It goes to our GraphQL alone.
 */

const PREFIX = 'sluice.secret.';

export function keepSecret(sessionId: string, secret: string): void {
  sessionStorage.setItem(PREFIX + sessionId, secret);
}

/** Of the address, else what the tab kept. */
export function secretOf(sessionId: string, hash: string): string | undefined {
  const given = hash.replace(/^#/, '');
  if (given !== '') {
    keepSecret(sessionId, given);
    return given;
  }
  return sessionStorage.getItem(PREFIX + sessionId) ?? undefined;
}
