/** The /healthz, /readyz and /metrics endpoints of a part: on the API's own port, and on METRICS_PORT for every part. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { isLocalAddress } from './outbound/public-address.ts';

export type Readiness = {
  /** What prevents this process from doing its work, one sentence each; empty when it is ready. */
  faults: string[];
  /** Further information for operators, including the state of every chain. */
  notes: string[];
};

/** `verbose` requests notes, which may cost a query. */
export type ReadReadiness = (request: { verbose: boolean }) => Promise<Readiness>;

export type ServiceEndpoints = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Answers the service's own paths, and returns false for any other. `metricsFor` determines who may read /metrics. A local caller has a
 * local address, and its request was not forwarded by a proxy.
 */
export function openServiceEndpoints(
  world: { metrics: Metrics; readiness: ReadReadiness; log: Log },
  options: { metricsFor: 'ANYBODY' | 'LOCAL' | 'NOBODY' },
): ServiceEndpoints {
  return async (request, response) => {
    const [path, query = ''] = (request.url ?? '/').split('?', 2);
    if (path === '/healthz') return text(response, 200, 'ok');
    if (path === '/readyz') {
      const verbose = new URLSearchParams(query).has('verbose');
      const { faults, notes } = await world.readiness({ verbose }).catch((error: unknown): Readiness => {
        world.log.warn({ error }, 'Readiness could not be read.');
        return { faults: ['Readiness could not be read.'], notes: [] };
      });
      const lines = [...(faults.length === 0 ? ['ready'] : faults), ...(verbose ? notes : [])];
      return text(response, faults.length === 0 ? 200 : 503, lines.join('\n'));
    }
    if (path !== '/metrics' || options.metricsFor === 'NOBODY') return false;
    if (options.metricsFor === 'LOCAL' && !isLocal(request)) return false;
    return text(response, 200, await world.metrics.text(), world.metrics.contentType);
  };
}

/** Serves only the service's own paths. Rejects with the error of listening, such as a port in use. */
export async function serveEndpoints(
  endpoints: ServiceEndpoints,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    endpoints(request, response)
      .then((answered) => answered || text(response, 404, 'No such path.'))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isLocal(request: IncomingMessage): boolean {
  const address = request.socket.remoteAddress;
  const { 'x-forwarded-for': forwardedFor, forwarded } = request.headers;
  return address !== undefined && forwardedFor === undefined && forwarded === undefined && isLocalAddress(address);
}

function text(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): true {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
  return true;
}
