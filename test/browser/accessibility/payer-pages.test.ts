/** The pages that need no login, in both themes: axe finds nothing on any of them, of whatever impact. */
import { beforeAll, expect, test, vi } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { type OpenPage, openPage } from '../setup/open-page.ts';
import { card, makeLink, press, visit } from '../setup/payer-visit.ts';

vi.setConfig({ testTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
const api = await openRestApi();

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
});

async function look({ page, axe }: OpenPage, place: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(), `${place}, ${colorScheme}`).toEqual([]);
  }
}

test('a payment has no violations from its link to its receipt', async () => {
  const { path } = await makeLink(shop, { allowedChains: 'ALL' });
  const opened = await visit(ground, path);
  const { page } = opened;
  await card(page, 'wallet');
  await look(opened, 'wallet');
  await press(page, /^Connect /);
  await card(page, 'way');
  await page.locator('[data-ways="shown"]').waitFor();
  await look(opened, 'ways');
  await press(page, /^Continue with/);
  await card(page, 'sign');
  await look(opened, 'sign');
  await press(page, /^Sign to pay/);
  await card(page, 'receipt');
  await look(opened, 'receipt');
});

test('a link that asks for details, an expired session and an invoice have no violations', async () => {
  const opened = await openPage();
  const { page } = opened;
  const { path } = await makeLink(shop, { requireBillingDetails: true });
  await page.goto(`${ground.origin}${path}`);
  await page.getByRole('button', { name: 'Continue to payment' }).waitFor();
  await look(opened, 'details');

  const session = await shop.call('POST', '/checkout-sessions', { items: [{ name: 'Green tea', amount: '9.50' }] });
  await shop.call('POST', `/checkout-sessions/${session.id}/expire`);
  await page.goto(`${ground.origin}/checkout/${session.id}#${session.clientSecret}`);
  await card(page, 'expired');
  await look(opened, 'expired');

  const { appId } = shop;
  const customer = await shop.call('POST', '/customers', { appId, name: 'Ada', email: 'ada@example.com' });
  const items = [{ description: 'Tea', quantity: 3, amount: '48.00' }];
  const invoice = await shop.call('POST', '/invoices', { appId, customerAccountId: customer.id, items });
  const { printUrl } = await shop.call('POST', `/invoices/${invoice.id}/open`);
  await page.goto(printUrl);
  await page.getByRole('heading').first().waitFor();
  await look(opened, 'invoice');
});

test.each(['/', '/nowhere', '/link/nowhere', '/checkout/nowhere', '/pay', '/arbiter', '/graphql'])(
  'the page %s has no violations',
  async (path) => {
    // A page of status 404 prints that.
    const opened = await openPage({ expected: [/404/] });
    await opened.page.goto(`${ground.origin}${path}`);
    await opened.page.getByRole('heading').or(opened.page.locator('.graphiql-container')).first().waitFor();
    await opened.page.waitForLoadState('networkidle');
    await look(opened, path);
  },
);

/**
 * What the elements of the documentation's theme have, which we do not write: the search button does not name its shortcut, entries of the
 * sidebar that open and lead somewhere are buttons with links in them, and the start page has no main landmark.
 */
const exceptedRules = new Set(['label-content-name-mismatch', 'nested-interactive', 'landmark-one-main', 'region']);

test.each(['/docs', '/docs/quickstart', '/docs/concepts', '/docs/performance', '/docs/reference/rest/payment-intents'])(
  'the documentation %s has no violations',
  async (path) => {
    const { page, axe } = await openPage();
    await page.goto(`${api.url}${path}`);
    await page.locator('h1').first().waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = (await axe()).filter(({ rule }) => !exceptedRules.has(rule));
      expect(found, `${path}, ${colorScheme}`).toEqual([]);
    }
  },
);
