/** A Vendure server with the plugin in its own process on an empty database, next to a whole gateway on a real chain. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createSluice } from '../../../packages/sdk/src/index.ts';
import { emptyDatabase } from '../../setup/database/database.ts';
import { freePort } from '../../setup/free-port.ts';
import { openRunningGateway } from '../../setup/gateway/running-gateway.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { shopFolder } from './install-plugin.ts';

export type Shop = Awaited<ReturnType<typeof runShop>>;

const START_LIMIT_MS = 180_000;

export async function runShop() {
  const gateway = await openRunningGateway({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  const sluice = createSluice({ baseUrl: gateway.url, apiKey: gateway.key });
  const [database, port] = await Promise.all([emptyDatabase(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const webhookUrl = `${url}/payments/sluice`;
  const endpoint = await sluice.webhookEndpoints.create(gateway.scope.appId, { url: webhookUrl, events: ['*'] });
  const log = await startServer({
    PORT: String(port),
    DATABASE_URL: database.url,
    SLUICE_URL: gateway.url,
    SLUICE_API_KEY: gateway.key,
    SLUICE_WEBHOOK_SECRET: endpoint.secret,
  });
  return { gateway, sluice, url, webhookUrl, endpoint, log, databaseUrl: database.url };
}

/** Resolves to a function that returns what the server has printed. */
async function startServer(environment: Record<string, string>): Promise<() => string> {
  let printed = '';
  const child = spawn(process.execPath, [join(shopFolder, 'server.ts')], {
    cwd: shopFolder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTeardown(async () => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(force);
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`The Vendure server has ended:\n${printed}`);
      if (!/^ready$/m.test(printed)) throw new Error(`The Vendure server is not ready:\n${printed}`);
    },
    { timeout: START_LIMIT_MS, interval: 200 },
  );
  return () => printed;
}
