/** One call of the HTTP server as metrics count it: by the route's pattern, never by the requested path. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type HttpCall = {
  method: string;
  route: string;
  status: number;
  durationSeconds: number;
  /** A live stream, whose duration is no measure of the server. */
  isStream: boolean;
};

const routes = new WeakMap<ServerResponse, string>();
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Sets the route that metrics report for this response. */
export function nameRoute(response: ServerResponse, route: string): void {
  routes.set(response, route);
}

/** Reports a call once its response is sent or aborted. */
export function followCall(request: IncomingMessage, response: ServerResponse, report: (call: HttpCall) => void): void {
  const startedAt = performance.now();
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
  response.once('close', () => {
    const type = response.getHeader('content-type');
    report({
      method,
      route: routes.get(response) ?? 'other',
      // 499, as proxies use it: the client disconnected before the response began.
      status: response.headersSent ? response.statusCode : 499,
      durationSeconds: (performance.now() - startedAt) / 1000,
      isStream: typeof type === 'string' && type.startsWith('text/event-stream'),
    });
  });
}
