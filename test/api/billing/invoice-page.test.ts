/** The printable page of an invoice, and the effect of voiding on its payment. */
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { followInvoicePayment } from '../../../src/invoices/follow-invoice-payment.ts';
import { markInvoiceOverdue } from '../../../src/invoices/mark-invoice-overdue.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&`;
const tea = { description: 'Tea', amount: '3.00', quantity: 2 };

let api: RestApi;
let key: string;
let customerAccountId: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  await api.database.app.update({ where: { id: api.merchantA.appId }, data: { name: `Shop ${HOSTILE}` } });
  const body = { appId: api.merchantA.appId, name: `Ada ${HOSTILE}`, email: 'ada@example.com' };
  customerAccountId = (await api.rest('POST', '/customers', { key, body })).body.data.id;
});

async function opened(fields: object = {}) {
  const body = { customerAccountId, items: [tea], ...fields };
  const { id } = (await api.rest('POST', '/invoices', { key, body })).body.data;
  return (await api.rest('POST', `/invoices/${id}/open`, { key })).body.data;
}

/** Fetches a page by its public URL from the port of this test. */
async function page(printUrl: string, init: RequestInit = {}) {
  const { pathname, search } = new URL(printUrl);
  const response = await fetch(`${api.url}${pathname}${search}`, { redirect: 'manual', ...init });
  return { response, html: await response.text() };
}

function payAction(html: string): string {
  return (/<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
}

const act = (id: string, action: string) => api.rest('POST', `/invoices/${id}/${action}`, { key });
const session = async (invoiceId: string) =>
  (await api.rest('POST', '/checkout-sessions', { key, body: { invoiceId } })).body.data;

describe('the invoice page', () => {
  it('displays lines, tax and total, escapes every name and runs no scripts', async () => {
    const taxRateId = (
      await api.rest('POST', '/tax-rates', { key, body: { displayName: `T ${HOSTILE}`, percentage: 10 } })
    ).body.data.id;
    const items = [tea, { description: HOSTILE, amount: '0.15', quantity: 3 }];
    const invoice = await opened({ items, taxRateId, memo: `Thanks ${HOSTILE}` });
    const { response, html } = await page(invoice.printUrl);
    expect(response.status).toBe(200);
    expect(html).toContain(invoice.invoiceNumber);
    for (const amount of ['6.00', '0.45', invoice.subtotal, invoice.taxAmount, invoice.total]) {
      expect(html).toContain(amount);
    }
    expect(html).not.toMatch(/<script|<img/);
    expect(html.split('&lt;script&gt;').length - 1).toBeGreaterThanOrEqual(6);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('displays the logo, color and footer of the app, with a policy for its own style sheet', async () => {
    const { printUrl } = await opened();
    const plain = await page(printUrl);
    const where = { id: api.merchantA.appId };
    const logoUrl = 'https://merchant.example/logo.png';
    const data = { logoUrl, accentColor: '#ffee00', footerText: `Register ${HOSTILE}` };
    await api.database.app.update({ where, data });
    const { response, html } = await page(printUrl);
    await api.database.app.update({ where, data: { logoUrl: null, accentColor: null, footerText: null } });
    expect(html).toContain('<img class="logo" src="/images/');
    expect(html).not.toContain('merchant.example/logo.png" ');
    expect(html).toContain('--deed:#9e9400;--on-deed:#0b0e14');
    expect(html).toContain('<footer>Register &lt;script&gt;');
    expect(plain.html).not.toContain('<footer>');
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toBe(plain.response.headers.get('content-security-policy'));
  });

  it('is in the language of the browser, or else in English', async () => {
    const { printUrl } = await opened({ dueDate: '2030-03-05T12:00:00.000Z' });
    const [german, english] = await Promise.all([
      page(printUrl, { headers: { 'accept-language': 'de-DE,en;q=0.5' } }),
      page(printUrl, { headers: { 'accept-language': 'fr' } }),
    ]);
    expect(german.response.headers.get('vary')).toContain('accept-language');
    expect(german.html).toContain('<html lang="de">');
    expect(german.html).toContain('6,00\u00a0$ fällig am 5. März 2030');
    expect(german.html).toContain('6,00\u00a0$ bezahlen</button>');
    expect(english.html).toContain('<html lang="en">');
    expect(english.html).toContain('$6.00 due on March 5, 2030');
    const missing = await page(printUrl.replace(/token=.*/, 'token=x'), { headers: { 'accept-language': 'de' } });
    expect([missing.response.status, missing.html]).toEqual([404, expect.stringContaining('Rechnung nicht gefunden')]);
  });

  it('displays the discount of a coupon', async () => {
    const { id, printUrl } = await opened();
    expect((await page(printUrl)).html).not.toContain('Discount');
    await api.database.invoice.update({ where: { id }, data: { discountAmount: '1.50' } });
    expect((await page(printUrl)).html).toMatch(/Discount<\/th><td>-\$1\.50</);
  });

  it('is available to anyone with its URL, and to nobody else', async () => {
    const [invoice, other] = [await opened(), await opened()];
    const missing = await page(invoice.printUrl.replace(invoice.id, newId()));
    const token = new URL(other.printUrl).searchParams.get('token') ?? '';
    const attempts = [
      invoice.printUrl.split('?')[0],
      `${invoice.printUrl.split('?')[0]}?token=${token}`,
      `${invoice.printUrl.slice(0, -1)}!`,
    ];
    for (const url of attempts) {
      const { response, html } = await page(url);
      expect([response.status, html]).toEqual([404, missing.html]);
    }
    expect(missing.response.status).toBe(404);
    const draft = await api.rest('POST', '/invoices', { key, body: { customerAccountId, items: [tea] } });
    expect(draft.body.data.printUrl).toBeNull();
    const foreign = await api.rest('GET', `/invoices/${invoice.id}`, { key: api.merchantB.secretKey });
    expect(foreign.status).toBe(404);
  });

  it('passes a request target that is not a URL to the API, which returns 404', async () => {
    for (const path of ['//', '//:1', '/invoice/%zz']) {
      const status = await new Promise((resolve, reject) => {
        get(api.url, { path }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('opens a checkout session while payment is due, and otherwise states that none is due', async () => {
    const invoice = await opened();
    const action = payAction((await page(invoice.printUrl)).html);
    const { response } = await page(`${api.url}${action}`, { method: 'POST' });
    expect(response.status).toBe(303);
    const [, id, secret] = /\/checkout\/([0-9a-f-]{36})#(cs_\S+)$/.exec(response.headers.get('location') ?? '') ?? [];
    const paying = await api.rest('GET', `/checkout-sessions/${id}`, { clientSecret: secret ?? '' });
    expect(paying.body.data).toMatchObject({ amount: '6.00', sourceType: 'INVOICE', sourceId: invoice.id });
    expect((await page(`${api.url}${action}`)).response.status).toBe(405);
    expect((await page(`${api.url}${action.slice(0, -2)}`, { method: 'POST' })).response.status).toBe(404);

    await act(invoice.id, 'void');
    const { html } = await page(invoice.printUrl);
    expect(html).toContain('This invoice was voided. No payment is due.');
    expect(payAction(html)).toBe('');
    expect((await page(`${api.url}${action}`, { method: 'POST' })).response.status).toBe(409);
  });

  it('offers no payment for a paid invoice', async () => {
    const invoice = await opened();
    await api.database.invoice.update({ where: { id: invoice.id }, data: { status: 'PAID', paidAt: new Date() } });
    const { html } = await page(invoice.printUrl);
    expect(html).toContain('$6.00 paid on');
    expect(payAction(html)).toBe('');
  });
});

describe('voiding an invoice', () => {
  it('cancels its unpaid payment and expires its sessions', async () => {
    const invoice = await opened();
    const [one, two] = [await session(invoice.id), await session(invoice.id)];
    expect((await act(invoice.id, 'void')).body.data.status).toBe('VOID');
    const intent = await api.rest('GET', `/payments/intents/${one.paymentIntentId}`, { key });
    expect(intent.body.data.status).toBe('CANCELLED');
    for (const { id } of [one, two]) {
      expect((await api.rest('GET', `/checkout-sessions/${id}`, { key })).body.data.status).toBe('EXPIRED');
    }
    const types = await api.database.event.findMany({
      where: { resourceId: { in: [invoice.id, one.id, two.id, one.paymentIntentId] } },
      orderBy: { sequence: 'asc' },
    });
    expect(types.map((event) => event.type).filter((type) => !/created|opened/.test(type))).toEqual([
      'payment_intent.cancelled',
      'checkout_session.expired',
      'checkout_session.expired',
      'invoice.voided',
    ]);
  });

  it.each(['AUTHORIZED', 'CAPTURED', 'REFUND_PENDING', 'SETTLED'] as const)(
    'is refused while its payment is %s',
    async (status) => {
      const invoice = await opened();
      const { paymentIntentId } = await session(invoice.id);
      await api.database.paymentIntent.update({ where: { id: paymentIntentId }, data: { status } });
      const { status: code, body } = await act(invoice.id, 'void');
      expect([code, body.error.code]).toEqual([409, 'INVALID_STATE']);
      expect((await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data.status).toBe('OPEN');
    },
  );

  it('is refused while an unconfirmed authorization has been seen', async () => {
    const invoice = await opened();
    const { paymentIntentId } = await session(invoice.id);
    await seeAuthorization(paymentIntentId);
    expect((await act(invoice.id, 'void')).status).toBe(409);
    expect((await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data.status).toBe('OPEN');
  });
});

describe('an invoice with a due date', () => {
  it('becomes PAST_DUE at that date, and can still be paid or voided', async () => {
    const dueDate = new Date(api.clock.now().getTime() + 86_400_000);
    const invoice = await opened({ dueDate: dueDate.toISOString() });
    const status = async () => (await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data.status;
    const jobs = await api.database.$queryRaw<{ run_at: Date }[]>`
      SELECT run_at FROM graphile_worker.jobs WHERE key = ${`overdue:${invoice.id}`}`;
    expect(jobs).toEqual([{ run_at: dueDate }]);
    await markInvoiceOverdue(api.world, { invoiceId: invoice.id });
    expect(await status()).toBe('OPEN');
    const later = { ...api.world, clock: { now: () => dueDate } };
    await markInvoiceOverdue(later, { invoiceId: invoice.id });
    await markInvoiceOverdue(later, { invoiceId: invoice.id });
    expect(await status()).toBe('PAST_DUE');
    expect((await session(invoice.id)).amount).toBe('6.00');
    expect((await act(invoice.id, 'void')).body.data.status).toBe('VOID');
    await markInvoiceOverdue(later, { invoiceId: invoice.id });
    expect(await status()).toBe('VOID');
  });

  it('is checked again if a reorganization reverts its payment after that date', async () => {
    const dueDate = new Date(api.clock.now().getTime() + 86_400_000);
    const later = { ...api.world, clock: { now: () => dueDate } };
    const invoice = await opened({ dueDate: dueDate.toISOString() });
    const { paymentIntentId } = await session(invoice.id);
    const become = async (status: 'CAPTURED' | 'CREATED') => {
      await api.database.paymentIntent.update({ where: { id: paymentIntentId }, data: { status } });
      await followInvoicePayment(later, { paymentIntentId });
    };
    const status = async () => (await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data.status;
    await become('CAPTURED');
    await api.database.$queryRaw`SELECT graphile_worker.remove_job(${`overdue:${invoice.id}`})::text`;
    await markInvoiceOverdue(later, { invoiceId: invoice.id });
    expect(await status()).toBe('PAID');
    await become('CREATED');
    expect(await status()).toBe('OPEN');
    const jobs = await api.database.$queryRaw<{ run_at: Date }[]>`
      SELECT run_at FROM graphile_worker.jobs WHERE key = ${`overdue:${invoice.id}`}`;
    expect(jobs).toEqual([{ run_at: dueDate }]);
    await markInvoiceOverdue(later, { invoiceId: invoice.id });
    expect(await status()).toBe('PAST_DUE');
  });

  it('returns the reason why its last charge failed', async () => {
    const invoice = await opened();
    expect(invoice.lastError).toBeNull();
    const data = { lastErrorCode: 'INSUFFICIENT_BALANCE', lastErrorMessage: 'The wallet holds too little.' };
    await api.database.invoice.update({ where: { id: invoice.id }, data });
    const lastError = (await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data.lastError;
    expect(lastError).toEqual({ code: 'INSUFFICIENT_BALANCE', message: 'The wallet holds too little.' });
  });
});

/** Writes what the projector writes when it has seen a block with an authorization of our terms. */
async function seeAuthorization(paymentIntentId: string): Promise<void> {
  const termsHash = `0x${paymentIntentId.replaceAll('-', '').padEnd(64, '0')}`;
  await api.database.paymentTerms.create({
    data: {
      termsHash,
      chainId: 31337,
      paymentIntentId,
      tokenKey: 'USDC-31337',
      method: 'DIRECT',
      terms: {},
      operatorSignature: '0x',
      exchangeRate: '1',
      authorizeBy: new Date(),
    },
  });
  await api.database.chainFact.create({
    data: {
      chainId: 31337,
      blockHash: termsHash,
      logIndex: 0,
      blockNumber: 1n,
      blockTimestamp: 1n,
      txHash: termsHash,
      kind: 'Authorized',
      ref: termsHash,
      args: {},
      address: '0x0000000000000000000000000000000000000000',
      status: 'SEEN',
    },
  });
}
