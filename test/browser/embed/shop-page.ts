/** A merchant's page of another origin, which has installed the package as it is published. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { expect } from 'vitest';
import type { CheckoutTheme } from '../../../packages/checkout/src/index.ts';
import { installPackages } from '../../packages/install-packages.ts';
import { onTeardown } from '../../setup/teardown.ts';

const root = join(import.meta.dirname, '../../..');

/** The page has a policy of its own: the checkout needs nothing but its frame. */
const policyOf = (gateway: string) =>
  `default-src 'none'; script-src 'self'; connect-src 'none'; frame-src ${gateway}; base-uri 'none'`;

const SHOP_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><script type="module" src="/shop.js"></script></head>
<body><main><h1>Shop</h1><button id="before">Basket</button><div id="place"></div><a id="after" href="#terms">Terms</a></main></body></html>`;

/** What the shop does with the package. It keeps the events, as an application would handle them. */
const SHOP_SCRIPT = `
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@sluice/checkout';
import { Checkout } from '@sluice/checkout/react';
const events = (globalThis.events = []);
const messages = (globalThis.messages = []);
addEventListener('message', ({ data, origin }) => messages.push({ data, origin }));
for (const type of ['sluice:paid', 'sluice:failed', 'sluice:closed'])
  document.addEventListener(type, ({ detail }) => events.push({ type, ...detail }));
const place = document.getElementById('place');
globalThis.embed = (properties) => {
  const element = document.createElement('sluice-checkout');
  Object.assign(element, properties);
  place.replaceChildren(element);
};
globalThis.embedWithReact = (properties) => {
  const react = createRoot(place);
  const calls = (globalThis.calls = []);
  const render = (open) => react.render(createElement(StrictMode, null, createElement(Checkout, {
    ...properties, open, className: 'pay',
    onPaid: (detail) => calls.push(['paid', detail]),
    onClosed: (detail) => { calls.push(['closed', detail]); render(false); },
  })));
  render(true);
};
globalThis.isReady = true;
`;

export type Embedded = {
  baseUrl: string;
  sessionId: string;
  clientSecret: string;
  mode?: 'inline' | 'modal';
  open?: boolean;
  locale?: string;
  theme?: CheckoutTheme;
};

/** Each origin is one of localhost; a page of it is served with the bundled package. */
export async function openShopPages(gateway: string, count: number): Promise<string[]> {
  const { shop: folder } = await installPackages();
  const entry = join(folder, 'shop.js');
  writeFileSync(entry, SHOP_SCRIPT);
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: {
      dedupe: ['react', 'react-dom'],
      alias: { react: join(root, 'node_modules/react'), 'react-dom': join(root, 'node_modules/react-dom') },
    },
    build: {
      emptyOutDir: true,
      outDir: join(folder, 'built'),
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => 'shop.js' },
    },
  });
  const script = readFileSync(join(folder, 'built/shop.js'));
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer(({ url }, response) => {
        if (url === '/shop.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
        else {
          const headers = { 'content-type': 'text/html', 'content-security-policy': policyOf(gateway) };
          response.writeHead(200, headers).end(SHOP_PAGE);
        }
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTeardown(async () => {
        server.closeAllConnections();
        server.close();
      });
      return `http://localhost:${(server.address() as AddressInfo).port}`;
    }),
  );
}

export async function embed(
  page: Page,
  properties: Embedded,
  way: 'embed' | 'embedWithReact' = 'embed',
): Promise<void> {
  await ready(page);
  await page.evaluate(([name, given]) => Reflect.get(globalThis, name)(given), [way, properties] as const);
}

/** Waits for the shop's script. Its policy forbids `eval`, which the browser driver's own wait would use. */
export async function ready(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => Reflect.has(globalThis, 'isReady')), { timeout: 60_000 }).toBe(true);
}

/** The events that the shop's page has received, oldest first. */
export async function eventsOf(page: Page): Promise<Record<string, unknown>[]> {
  return await page.evaluate(() => Reflect.get(globalThis, 'events'));
}

/** Every message that arrived in the shop's page. */
export async function messagesOf(page: Page): Promise<{ data: unknown; origin: string }[]> {
  return await page.evaluate(() => Reflect.get(globalThis, 'messages'));
}
