/** /healthz, /readyz and /metrics of a part: on the API's own port, and on METRICS_PORT of every part. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { isLocalAddress } from './public-address.ts';

export type Readiness = {
  /** What keeps this process from doing its work, a sentence each; nothing when it is ready. */
  faults: string[];
  /** What else a person may want to know, the state of every chain included. */
  notes: string[];
};

/** `verbose`: notes are wanted, and may cost a query. */
export type ReadReadiness = (request: { verbose: boolean }) => Promise<Readiness>;

export type ServiceEndpoints = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Answers the paths of the service, and false for any other. `metricsFor`: whom /metrics is told; a caller from a local
 * address is one that no proxy forwards.
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

/** Serves nothing but the service's own paths. Throws what listening throws, a port in use included. */
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
