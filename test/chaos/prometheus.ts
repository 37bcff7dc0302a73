/** Debian's Prometheus next to an installation, with our alert rules on a faster clock. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../setup/free-port.ts';

export type FiringAlarm = { name: string; labels: Record<string, string> };

export type Prometheus = {
  firing(): Promise<FiringAlarm[]>;
  stop(): Promise<void>;
};

const START_LIMIT_MS = 60_000;
const alertsShape = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.looseObject({ alertname: z.string() }) })),
  }),
});

/** Whether Prometheus is installed. */
export function hasPrometheus(): boolean {
  return spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The errors of `promtool test rules`. Empty if the rules pass. */
export function rulesFault(): string | undefined {
  const file = fileURLToPath(new URL('alerts.promtool.yml', import.meta.url));
  const tested = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return tested.status === 0 ? undefined : `${tested.stdout}${tested.stderr}`;
}

export async function startPrometheus(request: {
  folder: string;
  rules: string;
  metricsPorts: readonly number[];
}): Promise<Prometheus> {
  const folder = join(request.folder, 'prometheus');
  mkdirSync(folder, { recursive: true });
  const rulesFile = join(folder, 'alerts.yml');
  writeFileSync(rulesFile, request.rules);
  const configFile = join(folder, 'prometheus.yml');
  writeFileSync(configFile, configOf({ rulesFile, metricsPorts: request.metricsPorts }));
  const checked = spawnSync('promtool', ['check', 'config', configFile], { encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(`promtool refuses the rules:\n${checked.stdout}${checked.stderr}`);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { detached: true, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const url = `http://127.0.0.1:${port}`;
  const prometheus = { firing: () => readFiring(url), stop: () => end(child) };
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isUp(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await prometheus.stop();
      throw new Error('Prometheus did not start.');
    }
    await delay(200);
  }
  return prometheus;
}

function configOf({ rulesFile, metricsPorts }: { rulesFile: string; metricsPorts: readonly number[] }): string {
  const targets = metricsPorts.map((port) => `'127.0.0.1:${port}'`).join(', ');
  return [
    'global: { scrape_interval: 5s, scrape_timeout: 5s, evaluation_interval: 1s }',
    `rule_files: ['${rulesFile}']`,
    'scrape_configs:',
    "  - job_name: 'sluice'",
    `    static_configs: [{ targets: [${targets}] }]`,
    '',
  ].join('\n');
}

async function readFiring(url: string): Promise<FiringAlarm[]> {
  const response = await fetch(`${url}/api/v1/alerts`, { signal: AbortSignal.timeout(10_000) });
  const { data } = alertsShape.parse(await response.json());
  return data.alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels: { alertname, ...labels } }) => ({
      name: alertname,
      labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
    }));
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
}
