import type { Listener } from '../../platform/database/listener.ts';
import type { Log } from '../../platform/log.ts';
import type { DeliveryWorld } from './record-delivery-attempt.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { deliveriesChannel, dueEndpoints, leaseEndpoint, nextDueAt, releaseEndpoint } from './store.ts';

const POLL_MS = 500;
/** The longest wait while nothing is due, notifications are received, and no retry is due earlier. */
const RESTING_MS = 10_000;
/** A timer may fire slightly early. */
const TIMER_MARGIN_MS = 5;
/** The number of endpoints that one process serves concurrently; a receiver that hangs occupies one of these for one attempt. */
const CONCURRENCY = 100;
/** Separate places for endpoints that are failing, so that the others keep theirs however many hang. */
const FAILING_CONCURRENCY = 50;
const ROUND_MS = 10_000;
/** Longer than a round and one attempt together, so that a lease outlives its holder's last attempt. */
const LEASE_MS = 30_000;

export type WebhookRunner = { wake(): void; stop(): Promise<void> };

/**
 * Sends due deliveries until stopped; stopping waits for pending deliveries and starts no others. Several processes share the
 * endpoints by leases. While nothing is due, it waits until the next retry is due, `wake` is called or a notification arrives;
 * without a `listener`, or while notifications may be lost, it polls twice a second.
 */
export function runWebhooks(world: DeliveryWorld & { listener?: Listener; log: Log }): WebhookRunner {
  const lanes = [
    { failing: false, limit: CONCURRENCY, serving: new Map<string, Promise<void>>() },
    { failing: true, limit: FAILING_CONCURRENCY, serving: new Map<string, Promise<void>>() },
  ];
  const stopping = new AbortController();
  let endPause: (() => void) | null = null;
  let isWoken = false;
  let isListening = false;
  const wake = () => {
    isWoken = true;
    endPause?.();
  };
  const onListening = (isUp: boolean) => () => {
    isListening = isUp;
    wake();
  };
  const stopListening = world.listener?.listen(deliveriesChannel, {
    onNotification: wake,
    onUp: onListening(true),
    onDown: onListening(false),
  });

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
        .catch((error: unknown) => world.log.error({ error, endpointId }, 'An event could not be delivered.'))
        .finally(() => {
          serving.delete(endpointId);
          wake();
        });
      serving.set(endpointId, job);
    }
  };

  /** How long nothing will be due. */
  const restMs = async (): Promise<number> => {
    if (!isListening || lanes.some(({ serving }) => serving.size > 0)) return POLL_MS;
    const now = world.clock.now();
    const next = await nextDueAt(world.database, now);
    if (next === null) return RESTING_MS;
    return Math.min(RESTING_MS, next.getTime() - now.getTime() + TIMER_MARGIN_MS);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      let pauseMs = POLL_MS;
      try {
        for (const lane of lanes) await round(lane);
        pauseMs = await restMs();
      } catch (error) {
        world.log.error({ error }, 'Due webhooks could not be read.');
      }
      if (isWoken) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const running = loop();
  return {
    wake,
    async stop() {
      stopListening?.();
      stopping.abort();
      wake();
      await running;
      await Promise.all(lanes.flatMap(({ serving }) => [...serving.values()]));
    },
  };
}
