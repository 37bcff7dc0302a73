import type { Log } from '../../platform/log.ts';
import type { DeliveryWorld } from './record-try.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { dueEndpoints, leaseEndpoint, releaseEndpoint } from './store.ts';

const POLL_MS = 500;
/** Endpoints that one process tells at the same time; a receiver that hangs holds one of these for one try. */
const CONCURRENCY = 100;
/** Of those that are failing already, in places of their own: however many hang, the others have theirs. */
const FAILING_CONCURRENCY = 50;
const ROUND_MS = 10_000;
/** Longer than a round and one try together, so that a lease outlives its holder's last try. */
const LEASE_MS = 30_000;

export type WebhookRunner = { ring(): void; stop(): Promise<void> };

/**
 * Tells endpoints what is due until stopped, which waits for the deliveries that are under way and begins no other; several
 * processes share the endpoints by leases.
 */
export function runWebhooks(world: DeliveryWorld & { log: Log }): WebhookRunner {
  const lanes = [
    { failing: false, limit: CONCURRENCY, serving: new Map<string, Promise<void>>() },
    { failing: true, limit: FAILING_CONCURRENCY, serving: new Map<string, Promise<void>>() },
  ];
  const stopping = new AbortController();
  let wake: (() => void) | null = null;

  const serve = async (endpointId: string): Promise<void> => {
    const now = world.clock.now();
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    if (!(await leaseEndpoint(world.database, { id: endpointId, now, until: leasedUntil }))) return;
    try {
      const until = new Date(now.getTime() + ROUND_MS);
      await serveEndpoint(world, { endpointId, until, signal: stopping.signal });
    } finally {
      await releaseEndpoint(world.database, { id: endpointId, until: leasedUntil });
    }
  };

  const round = async ({ failing, limit, serving }: (typeof lanes)[number]): Promise<void> => {
    const free = limit - serving.size;
    if (free <= 0) return;
    for (const endpointId of await dueEndpoints(world.database, { now: world.clock.now(), limit: free, failing })) {
      if (serving.has(endpointId) || stopping.signal.aborted) continue;
      const job = serve(endpointId)
        .catch((error: unknown) => world.log.error({ error, endpointId }, 'An endpoint could not be told.'))
        .finally(() => {
          serving.delete(endpointId);
          wake?.();
        });
      serving.set(endpointId, job);
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const lane of lanes) {
        await round(lane).catch((error: unknown) => world.log.error({ error }, 'Due webhooks could not be read.'));
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const running = loop();
  return {
    ring: () => wake?.(),
    async stop() {
      stopping.abort();
      wake?.();
      await running;
      await Promise.all(lanes.flatMap(({ serving }) => [...serving.values()]));
    },
  };
}
