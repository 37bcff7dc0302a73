import type { Database } from '../../../prisma/client.ts';
import type { Listener } from '../../platform/database/listener.ts';
import type { Log } from '../../platform/log.ts';
import { announcedApps, announcementChannel } from '../announcements.ts';
import type { Consumer } from './consumer.ts';
import { hasOldJobs, pairsBehind } from './store.ts';

/** How often a process checks all cursors while notifications are received, and while they may be lost. */
const SLOW_LOOK_MS = 10_000;
const FAST_LOOK_MS = 500;
/** The pause between two turns for one app, so that events that arrive singly are handled together. */
const PAUSE_MS = 50;
const FAULT_PAUSE_MS = 1_000;
/** A timer may fire slightly early. */
const TIMER_MARGIN_MS = 5;
/** The number of apps that one consumer serves concurrently, limited by the connections for writes. */
const CONCURRENCY = 3;

type ConsumersWorld = { database: Database; listener: Listener; log: Log };

/**
 * Runs the consumers for every app's sequence until stopped; stopping waits for pending work. Any number of processes may run
 * them. Notifications name the apps that have new events, and a check of all cursors covers lost ones. Jobs of an earlier version
 * must finish first.
 */
export function runConsumers(world: ConsumersWorld, consumers: readonly Consumer[]): { stop(): Promise<void> } {
  const { database, listener, log } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const servers = new Map(
    consumers.map((consumer) => [consumer.name as string, openServer({ consumer, signal, log })]),
  );
  let isListening = false;
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const look = () => {
    clearTimeout(timer);
    looking ??= lookAround()
      .catch((error: unknown) =>
        log.warn({ error }, 'The event consumers could not read the sequence. They will retry.'),
      )
      .finally(() => {
        looking = undefined;
        clearTimeout(timer);
        if (!signal.aborted) timer = setTimeout(look, isListening && isReady ? SLOW_LOOK_MS : FAST_LOOK_MS);
      });
  };
  const lookAround = async () => {
    isReady ||= !(await hasOldJobs(database));
    if (!isReady || signal.aborted) return;
    for (const { consumer, appId } of await pairsBehind(database)) servers.get(consumer)?.serve(appId);
  };
  const stopListening = listener.listen(announcementChannel, {
    onNotification(payload) {
      const apps = announcedApps(payload);
      if (apps === null) look();
      else if (isReady) for (const appId of apps) for (const server of servers.values()) server.serve(appId);
    },
    onUp() {
      isListening = true;
      look();
    },
    onDown() {
      isListening = false;
      look();
    },
  });
  look();
  return {
    async stop() {
      stopListening();
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all([...servers.values()].map((server) => server.end()));
    },
  };
}

type Server = { serve(appId: string): void; end(): Promise<void> };

/** One consumer in this process: handles each app at most once at a time, and again if requested in the meantime. */
function openServer({ consumer, signal, log }: { consumer: Consumer; signal: AbortSignal; log: Log }): Server {
  const active = new Set<Promise<void>>();
  /** Apps that are being handled or were a moment ago, and whether they have been requested since. */
  const busy = new Map<string, boolean>();
  const waiting = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();

  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };

  const turn = async (appId: string): Promise<boolean> => {
    try {
      const { hasMore, retryMs } = await consumer.turn(appId, signal);
      if (retryMs !== undefined) later(retryMs + TIMER_MARGIN_MS, () => serve(appId));
      return hasMore;
    } catch (error) {
      log.warn({ consumer: consumer.name, appId, error }, 'An event consumer failed. It will be retried.');
      later(FAULT_PAUSE_MS, () => serve(appId));
      return false;
    }
  };

  /** Returns whether events are left: an app with many events lets waiting apps go first after each turn. */
  const serveNext = async (appId: string): Promise<boolean> => {
    let hasMore: boolean;
    do hasMore = await turn(appId);
    while (hasMore && !signal.aborted && waiting.size === 0);
    return hasMore;
  };

  const rest = (appId: string) => {
    const isAskedFor = busy.get(appId);
    busy.delete(appId);
    if (isAskedFor) serve(appId);
  };

  const serve = (appId: string) => {
    if (signal.aborted) return;
    if (busy.has(appId)) {
      busy.set(appId, true);
      return;
    }
    if (active.size >= CONCURRENCY) {
      waiting.add(appId);
      return;
    }
    busy.set(appId, false);
    const served = serveNext(appId).then((hasMore) => {
      active.delete(served);
      if (signal.aborted) return;
      if (hasMore) {
        busy.delete(appId);
        waiting.add(appId);
      } else later(PAUSE_MS, () => rest(appId));
      const [next] = waiting;
      if (next === undefined) return;
      waiting.delete(next);
      serve(next);
    });
    active.add(served);
  };

  return {
    serve,
    async end() {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(active);
    },
  };
}
