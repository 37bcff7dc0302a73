/** A part's Prometheus metrics: counters of its own process, and gauges that are read on each scrape. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Log } from './log.ts';

/** How often the delay of the event loop is sampled. The library's default of 10 ms wakes an idle process 100 times a second. */
const EVENT_LOOP_PRECISION_MS = 100;

export type Metrics = {
  register: Registry;
  contentType: string;
  /** Adds work that sets gauges before each scrape. If it fails, the other metrics are still reported. */
  onAsked(refresh: () => Promise<void>): void;
  text(): Promise<string>;
};

/** Every metric is labelled with the part's name. Starts nothing except the collector of default process metrics. */
export function openMetrics({ part, log }: { part: string; log: Log }): Metrics {
  const register = new Registry();
  register.setDefaultLabels({ part });
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  const failed = new Gauge({
    name: 'sluice_scrape_failed',
    help: '1 when the gauges that are read from the database could not be read.',
    registers: [register],
  });
  const refreshes: (() => Promise<void>)[] = [];
  let asking: Promise<string> | null = null;

  async function read(): Promise<string> {
    const outcomes = await Promise.allSettled(refreshes.map((refresh) => refresh()));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') log.warn({ error: outcome.reason }, 'Metrics could not be read.');
    }
    failed.set(outcomes.some((outcome) => outcome.status === 'rejected') ? 1 : 0);
    return await register.metrics();
  }

  return {
    register,
    contentType: register.contentType,
    onAsked: (refresh) => refreshes.push(refresh),
    text() {
      // Concurrent scrapes share one reading.
      asking ??= read().finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}
