import { expect, it } from 'vitest';
import { openLog, silentLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { traced } from '../../src/platform/request-trace.ts';
import { openServiceEndpoints, serveEndpoints } from '../../src/platform/service-endpoints.ts';
import { onTeardown } from '../setup/teardown.ts';

async function serve(
  options: { faults?: string[]; notes?: string[]; metricsFor?: 'ANYBODY' | 'LOCAL' | 'NOBODY' } = {},
) {
  const metrics = openMetrics({ part: 'api', log: silentLog });
  const readiness = async ({ verbose }: { verbose: boolean }) => ({
    faults: options.faults ?? [],
    notes: verbose ? (options.notes ?? []) : [],
  });
  const endpoints = openServiceEndpoints(
    { metrics, readiness, log: silentLog },
    { metricsFor: options.metricsFor ?? 'LOCAL' },
  );
  const server = await serveEndpoints(endpoints, { host: '127.0.0.1', port: 0 });
  onTeardown(() => server.close());
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    return { status: response.status, body: await response.text() };
  };
  return { metrics, ask };
}

it('is alive despite faults, and is ready only without faults', async () => {
  const ready = await serve();
  expect(await ready.ask('/healthz')).toEqual({ status: 200, body: 'ok' });
  expect(await ready.ask('/readyz')).toEqual({ status: 200, body: 'ready' });
  const faults = ['The database does not respond.', 'The worker is starting.'];
  const broken = await serve({ faults, notes: ['Chain 1 (Ethereum) is healthy.'] });
  expect((await broken.ask('/healthz')).status).toBe(200);
  expect(await broken.ask('/readyz')).toEqual({ status: 503, body: faults.join('\n') });
  expect((await broken.ask('/readyz?verbose')).body).toBe([...faults, 'Chain 1 (Ethereum) is healthy.'].join('\n'));
  const noted = await serve({ notes: ['Chain 1 (Ethereum) was last observed 75 s ago.'] });
  expect(await noted.ask('/readyz')).toEqual({ status: 200, body: 'ready' });
  expect(await noted.ask('/readyz?verbose')).toEqual({
    status: 200,
    body: 'ready\nChain 1 (Ethereum) was last observed 75 s ago.',
  });
});

it('serves metrics with the part’s name to local callers only, and to none if another port serves them', async () => {
  const local = await serve();
  const answer = await local.ask('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatch(/^process_cpu_seconds_total\{part="api"\}/m);
  expect((await local.ask('/metrics', { 'x-forwarded-for': '127.0.0.1' })).status).toBe(404);
  const nobody = await serve({ metricsFor: 'NOBODY' });
  expect((await nobody.ask('/metrics')).status).toBe(404);
});

it('serves the other metrics when a reading fails, and reports the failure', async () => {
  const { metrics, ask } = await serve();
  metrics.onAsked(() => Promise.reject(new Error('no database')));
  const answer = await ask('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatch(/^sluice_scrape_failed\{part="api"\} 1$/m);
});

it('writes the request id into every log line of a request, and no URL paths', () => {
  const lines: string[] = [];
  const log = openLog({ level: 'info', part: 'api' }, { write: (line) => lines.push(line) });
  traced('request-1', () => log.info({}, 'one'));
  log.warn({ error: new Error('HTTP request failed. URL: https://user:pass@node.example/v2/KEY') }, 'two');
  const [first, second] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ requestId: 'request-1', part: 'api' });
  expect(second).not.toHaveProperty('requestId');
  expect(second.error.message).toBe('HTTP request failed. URL: https://node.example/…');
  expect(lines.join()).not.toContain('KEY');
  expect(lines.join()).not.toContain('pass');
});
