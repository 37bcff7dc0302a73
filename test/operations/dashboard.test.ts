import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadRegistry } from '../../src/chains/registry.ts';
import { openInstruments } from '../../src/operations/metrics/instruments.ts';
import { registerTableGauges } from '../../src/operations/metrics/table-gauges.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { freshDatabase } from '../setup/database/database.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const namesIn = (text: string) =>
  [...new Set(text.match(/\bsluice_[a-z_]+/g) ?? [])].map((name) => name.replace(/_(bucket|sum|count)$/, ''));

async function metricNames(): Promise<string[]> {
  const { database } = await freshDatabase();
  const registry = loadRegistry({ rpc: [] });
  const metrics = openMetrics({ part: 'worker', log: silentLog });
  openInstruments(metrics);
  registerTableGauges({ database, registry, clock: systemClock, metrics });
  const text = await metrics.text();
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? '');
}

it('names only existing metrics in the dashboard, the rules and the manual', async () => {
  const existing = new Set(await metricNames());
  for (const file of ['operations/grafana-dashboard.json', 'operations/alerts.yml', 'operations.md']) {
    const named = namesIn(read(file));
    expect(named.length, file).toBeGreaterThan(2);
    expect(
      named.filter((name) => !existing.has(name)),
      file,
    ).toEqual([]);
  }
});

it('shows every Sluice metric on the dashboard', async () => {
  const ours = (await metricNames()).filter((name) => name.startsWith('sluice_'));
  const shown = new Set(namesIn(read('operations/grafana-dashboard.json')));
  const elsewhere = [
    'sluice_scrape_failed',
    'sluice_chain_observed',
    'sluice_chain_halts_total',
    'sluice_projector_stuck_total',
  ];
  expect(ours.filter((name) => !shown.has(name) && !elsewhere.includes(name))).toEqual([]);
});

it('documents the meaning and the response for every alarm', () => {
  const alarms = [...read('operations/alerts.yml').matchAll(/alert: (\w+)/g)].map((match) => match[1] ?? '');
  expect(alarms.length).toBeGreaterThan(10);
  const manual = read('operations.md');
  expect(alarms.filter((alarm) => !manual.includes(alarm))).toEqual([]);
});
