import type { IncomingMessage } from 'node:http';

/** Whether a request for /graphql comes from a browser that opens it as a page, which then shows the editor. */
export function asksForPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '');
}
