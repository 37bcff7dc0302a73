/** What a part tells Prometheus: counters of its own process, and gauges that are read when somebody asks. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Log } from './log.ts';

export type Metrics = {
  register: Registry;
  contentType: string;
  /** Work that sets gauges, done before each answer. When it fails the rest is told all the same. */
  onAsked(refresh: () => Promise<void>): void;
  text(): Promise<string>;
};

/** Every metric carries the part's name. Nothing is started but the collector of the process's own figures. */
export function openMetrics({ part, log }: { part: string; log: Log }): Metrics {
  const register = new Registry();
  register.setDefaultLabels({ part });
  collectDefaultMetrics({ register });
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
      // Two that ask at once share one reading.
      asking ??= read().finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}
