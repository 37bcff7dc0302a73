/** A dispute on its three pages: the merchant's dashboard, the payer's hosted page, and the arbiter's, which signs the split. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { createPlatformCredential } from '../../src/auth/create-platform-credential.ts';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
const HOUR = 3_600;
vi.setConfig({ testTimeout: 400_000, hookTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
let payer: Awaited<ReturnType<BrowserGround['newPayer']>>;
let arbiter: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: HOUR, disputeStartDuration: HOUR },
  });
  payer = await ground.newPayer();
  arbiter = (await createPlatformCredential(ground, { role: 'ARBITER', name: 'Browser test' })).secret;
});

/** A payment that its payer has disputed, and the payer's page. */
async function disputed(amount: string): Promise<{ intentId: string; disputeId: string; hostedUrl: string }> {
  const { id } = await shop.call('POST', '/payments/intents', { amount });
  await payIntent({ ground, shop, payer }, id);
  const read = () => shop.call('GET', `/payments/intents/${id}`);
  await expect.poll(async () => (await read()).status, PATIENCE).toBe('CAPTURED');
  const words = { reason: 'The tea never came.', evidence: 'I waited for a week.' };
  const { steps } = await shop.call('POST', `/payments/intents/${id}/dispute`, words);
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData(steps[0].typedData);
  await shop.call('POST', `/payments/intents/${id}/dispute`, { ...words, signature });
  await expect.poll(async () => (await read()).dispute?.status, PATIENCE).toBe('OPEN');
  const session = await shop.call('POST', '/checkout-sessions', { paymentIntentId: id }).catch(() => undefined);
  const hostedUrl = session?.url ?? (await hostedPageOf(id));
  return { intentId: id, disputeId: (await read()).dispute.id, hostedUrl };
}

/** A paid intent takes no new session: the payer's own one gets a secret that the test knows. */
async function hostedPageOf(paymentIntentId: string): Promise<string> {
  const { hashClientSecret, newClientSecret } = await import('../../src/auth/client-secret.ts');
  const session = await ground.database.checkoutSession.findFirstOrThrow({ where: { paymentIntentId } });
  const secret = newClientSecret(session.id);
  await ground.database.checkoutSession.update({
    where: { id: session.id },
    data: { clientSecretHash: hashClientSecret(secret) },
  });
  return `${ground.origin}/checkout/${session.id}#${secret}`;
}

const pdf = { name: 'delivery note.html', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\ndelivered') };
const png = {
  name: 'photo.png',
  mimeType: 'image/png',
  buffer: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), Buffer.alloc(40)]),
};

async function submit(page: Page, { text, file }: { text: string; file: typeof pdf }): Promise<void> {
  await page.getByLabel('Your statement').fill(text);
  await page.getByRole('button', { name: 'Submit statement' }).click();
  await page.getByText('Submitted.').waitFor();
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Upload file' }).click();
  await page.getByText('Uploaded.').waitFor();
}

async function download(page: Page, name: string): Promise<Buffer> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download ${name}` }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe(name);
  return await readFile(await saved.path());
}

test('both sides submit and read evidence, and the arbiter signs a split of 33.33 %', async () => {
  const { intentId, disputeId, hostedUrl } = await disputed('12.50');

  const merchant = await openPage();
  await visitDashboard(ground, merchant.page, { email: shop.ownerEmail, path: '/disputes' });
  await merchant.page.getByText('The tea never came.').waitFor();
  await inspect(merchant, 'disputes-list');
  await merchant.page.getByText('The tea never came.').click();
  await merchant.page.waitForURL(`**/disputes/${disputeId}`);
  await merchant.page.getByText('What you submit cannot be changed or withdrawn').waitFor();
  await merchant.page.getByText(/days? and \d+ hours? left$|days? left$/).waitFor();
  await merchant.page.getByText('Order and delivery details').click();
  await merchant.page.getByLabel('Order number').fill('1042');
  await merchant.page.getByLabel('Delivered at').fill('2026-03-03T10:00');
  await submit(merchant.page, { text: 'It was signed for.', file: pdf });
  await merchant.page.getByText('1042').waitFor();
  await inspect(merchant, 'dispute-merchant');

  const hosted = await openPage();
  await hosted.page.goto(hostedUrl);
  await hosted.page.getByRole('button', { name: 'View dispute' }).click();
  await hosted.page.getByText('It was signed for.').waitFor();
  expect(await hosted.page.getByText(shop.ownerEmail).count()).toBe(0);
  expect(await download(hosted.page, 'delivery note.pdf')).toEqual(pdf.buffer);
  await submit(hosted.page, { text: 'Not by me.', file: png });
  await inspect(hosted, 'dispute-payer');

  const decider = await openPage({ expected: [/401|403/] });
  await decider.page.goto(`${ground.origin}/arbiter`);
  await decider.page.getByLabel('Arbiter key').fill('ar_wrong');
  await decider.page.getByRole('button', { name: 'Log in' }).click();
  await decider.page.getByText('This key is invalid.').waitFor();
  await decider.page.getByLabel('Arbiter key').fill(arbiter);
  await decider.page.getByRole('button', { name: 'Log in' }).click();
  await decider.page.getByRole('heading', { name: 'Open disputes, earliest deadline first' }).waitFor();
  await inspect(decider, 'arbiter-list');
  // Other tests open disputes with the same reason.
  await decider.page.locator(`a[href="/arbiter/${disputeId}"]`).first().click();
  await decider.page.waitForURL(`**/arbiter/${disputeId}`);
  for (const text of ['I waited for a week.', 'It was signed for.', 'Not by me.', '1042']) {
    await decider.page.getByText(text).waitFor();
  }
  expect(await download(decider.page, 'photo.png')).toEqual(png.buffer);
  await decider.page.getByText('Signed data').click();
  await decider.page.getByText('"primaryType": "PaymentTerms"').waitFor();
  const percent = decider.page.getByLabel('Customer’s share (%)');
  await percent.fill('33.333');
  await decider.page.getByText('Enter a number from 0 to 100 with at most two decimals.').waitFor();
  await percent.fill('33.33');
  // 33.33 % of 12,500,000 base units, rounded down as the contract does; the demo takes no other rounding.
  await decider.page.getByText('4166250 base units').waitFor();
  await decider.page.getByText('4.17 USD').waitFor();
  await inspect(decider, 'arbiter-dispute');
  await decider.page.getByRole('button', { name: 'Review decision' }).click();
  await decider.page.getByRole('dialog').getByText('The customer receives 33.33% of the amount in escrow.').waitFor();
  await inspect(decider, 'arbiter-confirm');
  await decider.page.getByRole('dialog').getByRole('button', { name: 'Sign decision' }).click();

  await expect
    .poll(async () => (await shop.call('GET', `/disputes/${disputeId}`)).status, PATIENCE)
    .toBe('RESOLVED_SPLIT');
  const { resolution } = await shop.call('GET', `/disputes/${disputeId}`);
  expect(resolution).toMatchObject({ status: 'CONFIRMED', decidedBy: 'ARBITER', payerBps: 3333 });
  expect(resolution.split.payerAmount).toBe('4166250');
  const booked = await ground.database.ledgerEntry.findMany({
    where: { paymentIntentId: intentId, txHash: resolution.txHash, account: 'PAYER' },
  });
  expect(booked.map(({ amount }) => amount.toFixed(0))).toEqual(['4166250']);

  for (const { page } of [merchant, decider]) {
    await page.reload();
    await page.getByText('Dispute resolved').waitFor();
    expect(await page.getByRole('button', { name: /Submit statement|Review decision/ }).count()).toBe(0);
  }
  await hosted.page.reload();
  await hosted.page.getByRole('heading', { name: 'Your dispute was decided' }).waitFor();
  await hosted.page
    .getByText('The dispute was decided. You and Tea house each receive a part of the payment.')
    .waitFor();
  await hosted.page.getByRole('button', { name: 'View dispute' }).click();
  await hosted.page.getByText('Dispute resolved').waitFor();
  await hosted.page.getByText('The customer receives 33.33% of the amount in escrow.').waitFor();
  await inspect(decider, 'arbiter-resolved');
});

test('a viewer can only read, and the merchant concedes', async () => {
  const { disputeId } = await disputed('3.00');
  const email = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const { merchantId } = shop;
  await inviteMember({ database: ground.database, clock: systemClock }, { merchantId, email, role: 'VIEWER' });
  const viewer = await openPage();
  await visitDashboard(ground, viewer.page, { email, path: `/disputes/${disputeId}` });
  await viewer.page.getByText('I waited for a week.').waitFor();
  expect(await viewer.page.getByLabel('Your statement').count()).toBe(0);
  expect(await viewer.page.getByRole('button', { name: 'Accept dispute' }).count()).toBe(0);

  const owner = await openPage();
  await visitDashboard(ground, owner.page, { email: shop.ownerEmail, path: `/disputes/${disputeId}` });
  await owner.page.getByRole('button', { name: 'Accept dispute' }).click();
  await inspect(owner, 'dispute-concede');
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Accept dispute' }).click();
  await expect
    .poll(async () => (await shop.call('GET', `/disputes/${disputeId}`)).status, PATIENCE)
    .toBe('RESOLVED_PAYER');
  await owner.page.getByText('The merchant, who accepted the dispute').waitFor();
});
