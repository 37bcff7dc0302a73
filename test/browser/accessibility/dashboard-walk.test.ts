/** Every page of the dashboard and every tab on it, in both themes, with records on them: axe finds nothing, of whatever impact. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { nameOperator } from '../../../src/auth/members/name-operator.ts';
import { checkoutFolder } from '../../../src/local/local-settings.ts';
import { subscribe } from '../payer/pay-as.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { type OpenPage, openPage } from '../setup/open-page.ts';
import { payIntent } from '../setup/pay-intent.ts';
import { visitDashboard } from '../setup/visit-dashboard.ts';

const PATIENCE = { timeout: 120_000 };
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
});

/** Makes the records. Returns where each route of the dashboard is looked at, by its pattern. */
async function makeRecords(): Promise<Record<string, string>> {
  const { appId } = shop;
  await ground.database.app.update({
    where: { id: appId },
    data: { timelockDuration: 3_600, disputeStartDuration: 3_600 },
  });
  const payer = await ground.newPayer();
  const { id: subscriptionId, customerAccountId } = await subscribe(ground, shop, payer);
  const subscription = await shop.call('GET', `/subscriptions/${subscriptionId}`);
  const paymentId = await paidIntent(payer);
  const disputeId = await disputed(payer, paymentId);
  const items = [{ description: 'Tea for an office', quantity: 3, amount: '48.00' }];
  const invoice = await shop.call('POST', '/invoices', { appId, customerAccountId, items });
  await shop.call('POST', `/invoices/${invoice.id}/open`);
  const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
  const link = await shop.call('POST', '/payment-links', { appId, name: 'Green tea', slug, amount: '12.50' });
  await shop.call('POST', '/payments/intents', { amount: '4.00', externalId: 'tea-2' });
  const { merchantId, ownerEmail: email } = shop;
  await nameOperator({ database: ground.database }, { merchantId, email, isOperator: true });
  return {
    '/': '',
    '/payments': '/payments',
    '/payments/servers': '/payments/servers',
    '/payments/:id': `/payments/${paymentId}`,
    '/disputes': '/disputes',
    '/disputes/:id': `/disputes/${disputeId}`,
    '/subscriptions': '/subscriptions',
    '/subscriptions/:id': `/subscriptions/${subscriptionId}`,
    '/customers': '/customers',
    '/customers/:id': `/customers/${customerAccountId}`,
    '/links': '/links',
    '/links/coupons': '/links/coupons',
    '/links/:id': `/links/${link.id}`,
    '/plans': '/plans',
    '/plans/taxes': '/plans/taxes',
    '/plans/:id': `/plans/${subscription.productPlanId}`,
    '/invoices': '/invoices',
    '/invoices/new': '/invoices/new',
    '/invoices/:id': `/invoices/${invoice.id}`,
    '/reports': '/reports',
    '/developers': '/developers',
    '/settings': '/settings',
    '/operations': '/operations',
  };
}

type Payer = Awaited<ReturnType<BrowserGround['newPayer']>>;

async function paidIntent(payer: Payer): Promise<string> {
  const { id } = await shop.call('POST', '/payments/intents', { amount: '12.50' });
  await payIntent({ ground, shop, payer }, id);
  const status = async () => (await shop.call('GET', `/payments/intents/${id}`)).status;
  await expect.poll(status, PATIENCE).toBe('CAPTURED');
  return id;
}

async function disputed(payer: Payer, id: string): Promise<string> {
  const words = { reason: 'The tea never came.', evidence: 'I waited for a week.' };
  const { steps } = await shop.call('POST', `/payments/intents/${id}/dispute`, words);
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData(steps[0].typedData);
  await shop.call('POST', `/payments/intents/${id}/dispute`, { ...words, signature });
  const dispute = async () => (await shop.call('GET', `/payments/intents/${id}`)).dispute;
  await expect.poll(async () => (await dispute())?.status, PATIENCE).toBe('OPEN');
  return (await dispute()).id;
}

/** The patterns in the dashboard's own table of pages. */
function routes(): string[] {
  const table = readFileSync(join(checkoutFolder, 'web/src/dashboard/pages.ts'), 'utf8');
  return [...table.matchAll(/^ {4}path: '([^']+)',$/gm)].map(([, path]) => path ?? '');
}

/** What axe finds in both themes on the page and on each of its tabs, by where. */
async function faultsOf({ page, axe }: OpenPage, name: string): Promise<object[]> {
  const found: object[] = [];
  const look = async (place: string) => {
    await page.waitForLoadState('networkidle');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const { rule, impact, where } of await axe()) found.push({ place, colorScheme, rule, impact, where });
    }
  };
  await look(name);
  const tabs = page.getByRole('tab');
  for (let index = 1; index < (await tabs.count()); index += 1) {
    const tab = tabs.nth(index);
    await tab.click();
    await look(`${name} ${await tab.textContent()}`);
  }
  return found;
}

test('axe reports no violations on any page of the dashboard', async () => {
  const addresses = await makeRecords();
  expect(Object.keys(addresses).sort()).toEqual(routes().sort());
  const opened = await openPage();
  const { page } = opened;
  const found: object[] = [];
  // A visitor who is not logged in sees the form of the login.
  await page.goto(`${ground.origin}/dashboard`);
  await page.getByLabel('Email address').waitFor();
  found.push(...(await faultsOf(opened, 'login')));
  for (const [route, path] of Object.entries(addresses)) {
    await visitDashboard(ground, page, { email: shop.ownerEmail, path });
    await page.getByRole('main').getByRole('heading').first().waitFor();
    found.push(...(await faultsOf(opened, route)));
  }
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/nowhere' });
  await page.getByRole('main').getByRole('heading').first().waitFor();
  found.push(...(await faultsOf(opened, 'unknown page')));
  expect(found).toEqual([]);
});
