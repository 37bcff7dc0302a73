/** The page of one payment in the dashboard: its order, its money, and that another merchant does not find it. */
import { beforeAll, expect, test, vi } from 'vitest';
import { subscribe } from './payer/pay-as.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { card, makeLink, paymentOf, press, visit } from './setup/payer-visit.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
vi.setConfig({ testTimeout: 400_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  // Long enough that nothing settles during the test.
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: 86_400, disputeStartDuration: 43_200 },
  });
});

test('a payment shows its order, payer and source, and only its own merchant finds it', async () => {
  const { path } = await makeLink(shop, { name: 'Green tea' });
  const checkout = await visit(ground, path);
  await press(checkout.page, /^Connect Test wallet$/);
  await card(checkout.page, 'way');
  await press(checkout.page, /^Continue with 12\.50 USDC$/);
  await press(checkout.page, /^Sign to pay 12\.50 USDC$/);
  await card(checkout.page, 'receipt');
  const { id } = await paymentOf(ground, checkout.page);
  await shop.call('POST', `/payments/intents/${id}/refund`, { percent: 20, reason: 'One cup was cold' });
  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${id}` });
  const order = page.locator('[data-part="order"]');
  await order.getByRole('link', { name: 'Green tea' }).waitFor();
  await order.getByText('Payment link:').waitFor();
  await order.getByTitle(checkout.wallet.address).waitFor();
  await page.locator('[data-moment="REFUND"]').getByText('Reason: One cup was cold').waitFor();
  const money = page.locator('[data-part="money"]');
  await expect.poll(() => money.textContent(), PATIENCE).toContain('Refunded2.50 USDC2.50 USD');
  await expect.poll(() => money.textContent(), PATIENCE).toContain('In escrow10.00 USDC10.00 USD');
  await inspect(opened, 'payment-refunded');
  for (const [width, scheme] of [[768, 'light'] as const, [1920, 'dark'] as const]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await opened.picture(`payment-refunded-${width}`);
  }

  const subscription = await subscribe(ground, shop, await ground.newPayer());
  const charge = () => ground.database.paymentIntent.findFirst({ where: { sourceId: subscription.id } });
  await expect.poll(async () => (await charge())?.status, PATIENCE).toBe('CAPTURED');
  const german = await openPage({ language: 'de' });
  const chargeId = (await charge())?.id;
  await visitDashboard(ground, german.page, { email: shop.ownerEmail, path: `/payments/${chargeId}` });
  const sold = german.page.locator('[data-part="order"]');
  await sold.getByText('Abonnement:').waitFor();
  await sold.getByRole('link', { name: 'Tea club' }).waitFor();
  await sold.getByRole('link', { name: 'Ada' }).waitFor();
  // A value keeps its width beside a long name.
  const asked = german.page.locator('[data-part="money"] dd').first();
  const height = (await asked.boundingBox())?.height ?? 0;
  expect(height).toBeGreaterThan(0);
  expect(height).toBeLessThan(40);
  await german.picture('payment-german');
  await visitDashboard(ground, german.page, { email: shop.ownerEmail, path: '' });
  await german.page.getByRole('row').filter({ hasText: 'Ada' }).first().waitFor();

  const other = await ground.openShop('Coffee house');
  for (const strange of [id, crypto.randomUUID()]) {
    const stranger = await openPage({ expected: [/404/] });
    await visitDashboard(ground, stranger.page, { email: other.ownerEmail, path: `/payments/${strange}` });
    await stranger.page.getByText('This item does not exist or has been deleted.').waitFor();
    expect(await stranger.page.locator('[data-part]').count()).toBe(0);
    await stranger.page.context().close();
  }
});
