/** What the path of a page refers to. */
export type PageAddress = { page: 'link'; slug: string } | { page: 'checkout'; id: string };

/** Undefined for a path that is neither; the server sends none of those here. */
export function readAddress(path: string): PageAddress | undefined {
  const [, page, name] = /^(?:\/embed)?\/(link|checkout)\/([^/]+)\/?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const text = decoded(name);
  return page === 'link' ? { page: 'link', slug: text } : { page: 'checkout', id: text };
}

/** The address of a session's page with its client secret in the fragment, for another window of the same browser. */
export function printAddress(origin: string, session: { id: string; secret: string }): string {
  return `${origin}/checkout/${encodeURIComponent(session.id)}#${session.secret}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
