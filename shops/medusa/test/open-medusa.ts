/** A Medusa server beside a running gateway: migrated, seeded and started by Medusa's own commands, as a merchant does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../../src/local/child-process.ts';
import { emptyDatabase } from '../../../test/setup/database/database.ts';
import { freePort } from '../../../test/setup/free-port.ts';
import { openRunningGateway } from '../../../test/setup/gateway/running-gateway.ts';
import { onTeardown } from '../../../test/setup/teardown.ts';

const folder = join(import.meta.dirname, '..');
const command = join(folder, 'node_modules/@medusajs/cli/cli.js');
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 20_000;

type Seed = { publishableKey: string; secretKey: string; regionId: string; variantId: string };
// biome-ignore lint/suspicious/noExplicitAny: The answers of another product, of which each test reads a few fields.
export type Answer = { status: number; body: any };
export type MedusaShop = Awaited<ReturnType<typeof openMedusa>>;

export async function openMedusa() {
  const [gateway, database, port] = await Promise.all([
    openRunningGateway({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } }),
    emptyDatabase(),
    freePort(),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const hook = `${url}/hooks/payment/sluice_held`;
  const endpoint = await gateway.rest('POST', `/apps/${gateway.scope.appId}/webhooks`, {
    body: { url: hook, events: ['*'] },
  });
  const { secret, id: webhookId } = endpoint.body.data;
  const files = mkdtempSync(join(tmpdir(), 'sluice-medusa-'));
  onTeardown(async () => rmSync(files, { recursive: true, force: true }));
  const environment = {
    PATH: process.env.PATH,
    HOME: files,
    NODE_ENV: 'production',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    DATABASE_URL: database.url,
    SLUICE_URL: gateway.url,
    SLUICE_API_KEY: gateway.key,
    SLUICE_WEBHOOK_SECRET: secret,
    STOREFRONT_URL: 'http://127.0.0.1:8000',
    SEED_FILE: join(files, 'seed.json'),
    PORT: String(port),
    HOST: '127.0.0.1',
  };
  await runMedusa(['db:migrate'], environment);
  await runMedusa(['exec', './seed.js'], environment);
  const server = startMedusa(['start'], environment);
  onTeardown(async () => stopMedusa(server.child));
  await waitUntilHealthy(url, server);
  const seed: Seed = JSON.parse(readFileSync(environment.SEED_FILE, 'utf8'));

  const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text } satisfies Answer;
  };
  const requireOk = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const store = (method: string, path: string, body?: unknown) =>
    call(method, `/store${path}`, { 'x-publishable-api-key': seed.publishableKey }, body);
  const admin = (method: string, path: string, body?: unknown) =>
    call(method, `/admin${path}`, { authorization: `Basic ${btoa(`${seed.secretKey}:`)}` }, body);
  return {
    gateway,
    seed,
    secret,
    webhookId,
    log: server.log,
    store,
    admin,
    requireOk,
    hook: (body: string, headers: Record<string, string>) => call('POST', '/hooks/payment/sluice_held', headers, body),
  };
}

function startMedusa(args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [command, ...args], { cwd: folder, env });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  return { child, log: () => chunks.join('') };
}

async function runMedusa(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { child, log } = startMedusa(args, env);
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  if (code !== 0) throw new Error(`medusa ${args.join(' ')} ended with ${code}:\n${log()}`);
}

async function waitUntilHealthy(url: string, server: { child: ChildProcess; log: () => string }): Promise<void> {
  const until = performance.now() + START_LIMIT_MS;
  while (performance.now() < until && server.child.exitCode === null) {
    const isHealthy = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Medusa did not start:\n${server.log()}`);
}

async function stopMedusa(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) await stopProcess(child.pid, 'SIGTERM', STOP_LIMIT_MS);
}
