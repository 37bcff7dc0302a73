/** The client package in a real browser, on a shop's page of another origin: by a client secret, and never by a secret key. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSluice } from '../../packages/sdk/src/index.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { onTeardown } from '../setup/teardown.ts';
import { openPage } from './setup/open-page.ts';

const SHOP_PAGE = `<!doctype html><html lang="en"><title>Shop</title>
<script type="module">import { createSluice } from '/index.js'; globalThis.createSluice = createSluice;</script>`;
const root = join(import.meta.dirname, '../..');

/** A shop that serves its page, and the package as it is published. */
async function openShop(): Promise<string> {
  const built = mkdtempSync(join(tmpdir(), 'sluice-sdk-'));
  const compiler = join(root, 'node_modules/typescript7/bin/tsc');
  const ended = spawnSync(process.execPath, [compiler, '-p', join(root, 'packages/sdk'), '--outDir', built]);
  if (ended.status !== 0) throw new Error(String(ended.stdout));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop');
    if (!pathname.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(SHOP_PAGE);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(built, pathname)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
    rmSync(built, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a payer’s page reads and watches its session with the client secret, and rejects a secret key', async () => {
  const api = await openRestApi();
  const sluice = createSluice({ baseUrl: api.url, apiKey: api.merchantA.secretKey });
  const session = await sluice.checkoutSessions.create({ items: [{ name: 'Tea', amount: '3.00' }] });
  const shopUrl = await openShop();
  const { page } = await openPage({ expected: [/Failed to load resource/] });
  await page.goto(shopUrl);
  await page.waitForFunction(() => 'createSluice' in globalThis);
  const seen = await page.evaluate(
    async ({ baseUrl, id, clientSecret, secretKey }) => {
      const { createSluice: create } = globalThis as unknown as { createSluice: typeof createSluice };
      const refusal = (options: { apiKey?: string; clientSecret?: string }) => {
        try {
          create({ baseUrl, ...options });
          return 'made';
        } catch (error) {
          return (error as Error).message;
        }
      };
      const payer = create({ baseUrl, clientSecret });
      const read = await payer.checkoutSessions.get(id);
      // A write asks the browser's permission for its headers. Nothing is prepared that could be confirmed.
      const code = await payer.checkoutSessions.confirm(id).catch((error: { code: string }) => error.code);
      const states: Record<string, string> = {};
      for (const liveTransport of ['websocket', 'sse'] as const) {
        const live = create({ baseUrl, clientSecret, liveTransport });
        for await (const state of live.checkoutSessions.watch(id)) {
          states[liveTransport] = state.session.status;
          break;
        }
      }
      return {
        ...{ amount: read.amount, code, states },
        refusals: [refusal({ apiKey: secretKey }), refusal({ clientSecret: secretKey })],
      };
    },
    {
      baseUrl: api.url,
      id: session.id,
      clientSecret: session.clientSecret,
      secretKey: api.merchantA.secretKey,
    },
  );
  expect(seen).toEqual({
    amount: '3.00',
    code: 'INVALID_STATE',
    states: { websocket: 'OPEN', sse: 'OPEN' },
    refusals: Array(2).fill(expect.stringContaining('must never reach a browser')),
  });
});
