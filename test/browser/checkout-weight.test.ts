/** The bytes that the hosted page loads until it shows the payment options, as counted by the browser. */
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { injectEvmWallet } from './setup/inject-evm-wallet.ts';
import { openPage } from './setup/open-page.ts';
import { CHAIN, card, makeLink, OTHER_CHAIN } from './setup/payer-visit.ts';
import { type Load, weighLoading } from './setup/weigh-loading.ts';

const REQUESTS = 12;
const BYTES = 200_000;

let ground: BrowserGround;
let shop: ShopGround;

vi.setConfig({ testTimeout: 300_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

/** A first visit with an empty cache, until the ways are shown with the balances of a connected wallet on two networks. */
async function loadUntilWays(path: string, language: 'en' | 'de'): Promise<Load> {
  const payer = await ground.newPayer();
  const { page } = await openPage({ language, width: 360 });
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  await injectEvmWallet(page, { privateKey: payer.privateKey, rpcUrls, chainId: CHAIN });
  const loaded = await weighLoading(page, '[data-ways="shown"]');
  await page.goto(`${ground.origin}${path}`);
  await page.getByRole('button', { name: /Test wallet/ }).click();
  await card(page, 'way');
  await page.locator('[data-ways="shown"] [data-way] input:checked').waitFor();
  for (const chainId of [CHAIN, OTHER_CHAIN]) await page.locator(`[data-way="USDC-${chainId}"]`).waitFor();
  return await loaded();
}

test.for(['en', 'de'] as const)(
  'a link and a session load few bytes before the payment options: %s',
  async (language) => {
    const { path } = await makeLink(shop, { allowedChains: 'ALL' });
    const intent = await shop.call('POST', '/payments/intents', { amount: '12.50' });
    const session = await shop.call('POST', '/checkout-sessions', { paymentIntentId: intent.id });
    for (const address of [path, `/checkout/${session.id}#${session.clientSecret}`]) {
      const { requests, bytes } = await loadUntilWays(address, language);
      process.stdout.write(`${language} ${address.slice(0, 10)} ${requests.length} requests, ${bytes} bytes\n`);
      expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(REQUESTS);
      // The counts must not be empty: the live connection, and the balances of each network with its preflight.
      expect(requests.filter((one) => one.startsWith('WEBSOCKET'))).toHaveLength(1);
      for (const { rpcUrl } of ground.demo.chains)
        expect(requests.filter((one) => one.includes(rpcUrl))).toHaveLength(2);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThanOrEqual(BYTES);
    }
  },
);

test.for([
  ['en', 'Loading'],
  ['de', 'Wird geladen'],
] as const)('the page renders before its script has loaded: %s', async ([language, text]) => {
  const { path } = await makeLink(shop);
  const { page } = await openPage({ language, width: 360 });
  const arrival = Promise.withResolvers<void>();
  await page.route('**/assets/checkout-*.js', async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await page.goto(`${ground.origin}${path}`, { waitUntil: 'commit' });
  await page.getByText(text, { exact: true }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe(language);
  arrival.resolve();
  await page
    .getByRole('button', { name: /wallet/i })
    .first()
    .waitFor();
});
