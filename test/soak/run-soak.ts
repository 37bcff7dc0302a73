/**
 * `npm run soak -- [--minutes 60] [--rate 1] [--apps 3] [--snapshots folder]`: runs a steady mixed load of `rate` payments per second on a
 * separate installation, with its own folder and ports. Prints the development of memory, tables and times. Fails if a process leaks
 * memory, a steady table grows, or operations become slower or fail. `--snapshots` writes heap snapshots of each process after each
 * quarter except the first.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openInstallation } from '../../bench/servers/open-installation.ts';
import type { Sample } from './evaluate-memory.ts';
import { faultsOf, type ProcessSamples, type Soak } from './evaluate-soak.ts';
import { type Inspector, openInspector } from './inspect-heap.ts';
import { openObservations, QUARTERS } from './observations.ts';
import { observedProcesses, PONDER, readMemory, writeSnapshot } from './observed-processes.ts';
import { printSoak } from './print-soak.ts';
import { runLoad } from './run-load.ts';
import { soakApps } from './soak-apps.ts';
import { readTableSizes, type TableSize } from './table-sizes.ts';

const SAMPLES = 60;
const LEAST_SAMPLE_MS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '1' },
    apps: { type: 'string', default: '3' },
    snapshots: { type: 'string' },
  },
});
const minutes = positive('minutes', values.minutes);
const rate = positive('rate', values.rate);
const appCount = positive('apps', values.apps);

const probes = mkdtempSync(join(tmpdir(), 'soak-'));
const preload = pathToFileURL(join(import.meta.dirname, 'memory-probe.ts')).href;
const installation = await openInstallation({
  environment: () => ({ SOAK_PROBES: probes, NODE_OPTIONS: `--import=${preload}` }),
});
const stopping = new AbortController();
/** A restarted Ponder is no longer inspected. */
const inspected: { ponder: Inspector | null } = { ponder: null };
process.once('SIGINT', () => stopping.abort());
try {
  const faults = await soak();
  console.log(faults.length === 0 ? '\nThe soak passes.' : `\nThe soak FAILS:\n${faults.join('\n')}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  inspected.ponder?.close();
  await installation.stop();
  rmSync(probes, { recursive: true, force: true });
}

async function soak(): Promise<string[]> {
  const { databaseUrl } = installation;
  const apps = await soakApps(installation, appCount);
  inspected.ponder = await inspectPonder();
  const startedAt = performance.now();
  const totalMs = minutes * 60_000;
  const share = () => (performance.now() - startedAt) / totalMs;
  const observations = openObservations(share);
  const loadBefore = loadavg()[0];
  const ended = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(totalMs), ended.signal]);
  const processes = new Map<string, ProcessSamples>();
  const tables: (readonly TableSize[])[] = [await readTableSizes(databaseUrl)];
  const load = runLoad({ apps, databaseUrl, observations }, { paymentsPerSecond: rate, signal }).finally(() =>
    ended.abort(),
  );
  const watch = async () => {
    const everyMs = Math.max(LEAST_SAMPLE_MS, totalMs / SAMPLES);
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
      await sample(processes, (performance.now() - startedAt) / 60_000);
      if (share() < tables.length / QUARTERS) continue;
      tables.push(await readTableSizes(databaseUrl));
      if (values.snapshots !== undefined && tables.length > 2) await snapshot(values.snapshots, tables.length - 1);
    }
  };
  await Promise.all([load, watch()]);
  const [spans, failures] = [observations.spans(), observations.failures()];
  const result: Soak = { minutes, processes: [...processes.values()], tables, spans, failures };
  const processor = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`;
  const machineLoad = `load of the machine ${loadBefore?.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after`;
  console.log(`\n${minutes} minutes, ${rate} payments a second, ${appCount} apps, ${processor}; ${machineLoad}.\n`);
  console.log(printSoak(result));
  return faultsOf(result);
}

async function sample(processes: Map<string, ProcessSamples>, minute: number): Promise<void> {
  for (const observed of observedProcesses({ folder: installation.folder, probes })) {
    const { name } = observed;
    const kept = processes.get(name) ?? { name, heap: [], resident: [], highestMb: 0 };
    processes.set(name, kept);
    // A process that ends at this moment is measured again after its restart.
    const reading = await readMemory(observed, { probes, inspector: inspected.ponder }).catch(() => null);
    if (!reading) continue;
    kept.highestMb = Math.max(kept.highestMb, reading.foundMb);
    kept.resident.push({ minute, mb: reading.residentMb });
    if (reading.heapMb !== null) kept.heap.push({ minute, mb: reading.heapMb });
  }
  const newest = (samples: readonly Sample[]) => samples.at(-1)?.mb.toFixed(1);
  const printed = [...processes.values()].map(({ name, heap, resident }) =>
    heap.length > 0 ? `${name} ${newest(resident)} (${newest(heap)})` : `${name} ${newest(resident)}`,
  );
  console.log(`${minute.toFixed(1)} min, MiB resident (heap): ${printed.join(', ')}`);
}

async function inspectPonder(): Promise<Inspector | null> {
  const observed = observedProcesses({ folder: installation.folder, probes }).find(({ name }) => name === PONDER);
  const [pid] = observed?.pids ?? [];
  const inspector = pid === undefined ? null : await openInspector(pid);
  if (!inspector)
    console.log('Another process has the inspector of Node on port 9229: the heap of Ponder is not measured.');
  return inspector;
}

async function snapshot(folder: string, quarter: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const observed of observedProcesses({ folder: installation.folder, probes })) {
    const file = resolve(folder, `${observed.name.replaceAll(' ', '-')}-${quarter}.heapsnapshot`);
    await writeSnapshot(observed, { probes, file });
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  console.error(`--${name} must be a positive number, not ${text}.`);
  process.exit(1);
}
