/** One call of the HTTP server as it is counted: by the route's pattern, never by the path that was asked. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type HttpCall = {
  method: string;
  route: string;
  status: number;
  durationSeconds: number;
  /** A live stream, whose duration says nothing of the server. */
  isStream: boolean;
};

const routes = new WeakMap<ServerResponse, string>();
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Names the route that answers, for whoever counts. */
export function nameRoute(response: ServerResponse, route: string): void {
  routes.set(response, route);
}

/** Tells of a call when its answer is sent or given up. */
export function followCall(request: IncomingMessage, response: ServerResponse, tell: (call: HttpCall) => void): void {
  const startedAt = performance.now();
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
  response.once('close', () => {
    const type = response.getHeader('content-type');
    tell({
      method,
      route: routes.get(response) ?? 'other',
      // 499, as proxies call it: the caller left before the answer began.
      status: response.headersSent ? response.statusCode : 499,
      durationSeconds: (performance.now() - startedAt) / 1000,
      isStream: typeof type === 'string' && type.startsWith('text/event-stream'),
    });
  });
}
