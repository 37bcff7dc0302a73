import { beforeAll, describe, expect, it } from 'vitest';
import { followInvoicePayment } from '../../../src/invoices/follow-invoice-payment.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let foreign: string;
let customerAccountId: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  foreign = api.merchantB.secretKey;
  const customer = await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId, name: 'Ada' } });
  customerAccountId = customer.body.data.id;
});

const tea = { description: 'Tea', amount: '3.00' };
const post = (body: object, caller = key) => api.rest('POST', '/invoices', { key: caller, body });
const draft = async (fields: object = {}) => (await post({ customerAccountId, items: [tea], ...fields })).body.data;
const act = (id: string, action: string, caller = key) =>
  api.rest('POST', `/invoices/${id}/${action}`, { key: caller });
const taxRate = async (percentage: number, inclusive: boolean) =>
  (await api.rest('POST', '/tax-rates', { key, body: { displayName: 'T', percentage, inclusive } })).body.data.id;

describe('POST /invoices', () => {
  it('creates a draft invoice without a number', async () => {
    expect(await draft({ memo: 'Thanks', dueDate: '2027-01-31T00:00:00.000Z' })).toMatchObject({
      status: 'DRAFT',
      invoiceNumber: null,
      subtotal: '3.00',
      taxAmount: '0.00',
      total: '3.00',
      currency: 'USD',
      memo: 'Thanks',
      dueDate: '2027-01-31T00:00:00.000Z',
      items: [{ description: 'Tea', amount: '3.00', quantity: 1, taxAmount: '0.00' }],
    });
  });

  it('taxes each line by its own rate or else the invoice’s, inclusive or exclusive', async () => {
    const [contained, added] = [await taxRate(20, true), await taxRate(10, false)];
    const items = [
      { ...tea, amount: '12.00', taxRateId: contained },
      { ...tea, amount: '0.15', quantity: 3 },
    ];
    expect(await draft({ items, taxRateId: added })).toMatchObject({
      items: [{ taxAmount: '2.00' }, { taxAmount: '0.05' }],
      subtotal: '10.45',
      taxAmount: '2.05',
      total: '12.50',
    });
  });

  it('returns the allowed chains and tokens in every response', async () => {
    expect(await draft()).toMatchObject({ allowedChains: 'ALL', allowedTokens: 'ALL' });
    const chosen = { allowedChains: [31337], allowedTokens: ['USDC-31337', 'USDT-31337'] };
    const invoice = await draft(chosen);
    expect(invoice).toMatchObject(chosen);
    expect((await act(invoice.id, 'open')).body.data).toMatchObject(chosen);
    expect((await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data).toMatchObject(chosen);
    const listed = (await api.rest('GET', '/invoices?pageSize=1', { key })).body.data;
    expect(listed).toMatchObject([{ id: invoice.id, ...chosen }]);
    const { body } = await api.rest('POST', '/graphql', {
      key,
      body: { query: `{ invoice(id: "${invoice.id}") { allowedChains allowedTokens } }` },
    });
    expect(body.data.invoice).toEqual(chosen);
    const opened = await api.database.event.findFirst({ where: { type: 'invoice.opened', resourceId: invoice.id } });
    expect(opened?.data).toMatchObject(chosen);
  });

  it.each([
    ['no items', { items: [] }, ['items']],
    [
      'bad lines',
      { items: [{ description: '', amount: '0', quantity: 0 }] },
      ['items[0].amount', 'items[0].description', 'items[0].quantity'],
    ],
    [
      'a period that ends before it starts',
      { periodStart: '2027-02-01T00:00:00Z', periodEnd: '2027-01-01T00:00:00Z' },
      ['periodEnd'],
    ],
    ['a bad date', { dueDate: 'tomorrow' }, ['dueDate']],
    ['too long a memo', { memo: 'x'.repeat(2001) }, ['memo']],
  ])('refuses %s', async (_what, fields, params) => {
    const answer = await post({ customerAccountId, items: [tea], ...fields });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual(params);
  });

  it('requires a customer of the caller', async () => {
    const answer = await post({ customerAccountId, items: [tea] }, foreign);
    expect([answer.status, answer.body.error.param]).toEqual([404, 'customerAccountId']);
    expect((await api.rest('POST', '/invoices', { body: {} })).status).toBe(401);
    expect((await post({}, api.merchantA.publishableKey)).status).toBe(403);
  });
});

describe('an invoice', () => {
  it('is opened once and numbered without gaps, even concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await draft()).id as string));
    const answers = await Promise.all([...ids, ...ids].map((id) => act(id, 'open')));
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(12);
    const numbers = answers.flatMap((answer) =>
      answer.status === 200 ? [answer.body.data.invoiceNumber as string] : [],
    );
    const counts = numbers.map((number) => Number(number.slice(4))).sort((left, right) => left - right);
    expect(counts).toEqual(Array.from({ length: 12 }, (_, index) => (counts[0] ?? 0) + index));
    expect(await api.database.event.count({ where: { type: 'invoice.opened', resourceId: { in: ids } } })).toBe(12);
  });

  it('is numbered separately in each app', async () => {
    const customer = await api.rest('POST', '/customers', { key: foreign, body: { appId: api.merchantB.appId } });
    const invoice = await post({ customerAccountId: customer.body.data.id, items: [tea] }, foreign);
    expect((await act(invoice.body.data.id, 'open', foreign)).body.data.invoiceNumber).toBe('INV-000001');
  });

  it('can be voided while it is not paid, and keeps its number', async () => {
    const invoice = await draft();
    const opened = (await act(invoice.id, 'open')).body.data;
    const voided = (await act(invoice.id, 'void')).body.data;
    expect(voided).toMatchObject({ status: 'VOID', invoiceNumber: opened.invoiceNumber, voidedAt: expect.any(String) });
    expect((await act(invoice.id, 'void')).body.error.code).toBe('INVALID_STATE');
    expect((await act(invoice.id, 'open')).body.error.code).toBe('INVALID_STATE');
  });

  it('returns 404 to another merchant', async () => {
    const invoice = await draft();
    expect((await api.rest('GET', `/invoices/${invoice.id}`, { key: foreign })).status).toBe(404);
    expect((await act(invoice.id, 'open', foreign)).status).toBe(404);
    expect((await act(invoice.id, 'void', foreign)).status).toBe(404);
    const body = { invoiceId: invoice.id };
    expect((await api.rest('POST', '/checkout-sessions', { key: foreign, body })).status).toBe(404);
  });

  it('is listed by status', async () => {
    const invoice = await draft();
    const { body } = await api.rest('GET', '/invoices?status=DRAFT&pageSize=1', { key });
    expect(body.data[0].id).toBe(invoice.id);
    expect((await api.rest('GET', '/invoices?status=LOST', { key })).status).toBe(400);
  });
});

describe('paying an invoice', () => {
  const session = (invoiceId: string) => api.rest('POST', '/checkout-sessions', { key, body: { invoiceId } });

  it('opens a session for its total, and reuses the intent while it can be paid', async () => {
    const invoice = await draft({ taxRateId: await taxRate(10, false) });
    expect((await session(invoice.id)).body.error.code).toBe('INVALID_STATE');
    await act(invoice.id, 'open');
    const first = (await session(invoice.id)).body.data;
    expect(first).toMatchObject({
      amount: '3.30',
      taxAmount: '0.30',
      sourceType: 'INVOICE',
      sourceId: invoice.id,
      customerAccountId,
    });
    const second = (await session(invoice.id)).body.data;
    expect(second.paymentIntentId).toBe(first.paymentIntentId);
    await api.rest('POST', `/payments/intents/${first.paymentIntentId}/cancel`, { key });
    const third = (await session(invoice.id)).body.data;
    expect(third.paymentIntentId).not.toBe(first.paymentIntentId);
  });

  it('makes it PAID on capture with one event, and OPEN again after a reorganization', async () => {
    const invoice = await draft();
    await act(invoice.id, 'open');
    const { paymentIntentId } = (await session(invoice.id)).body.data;
    const become = async (status: 'CAPTURED' | 'CREATED') => {
      await api.database.paymentIntent.update({ where: { id: paymentIntentId }, data: { status } });
      await followInvoicePayment(api.world, { paymentIntentId });
      await followInvoicePayment(api.world, { paymentIntentId });
      return (await api.rest('GET', `/invoices/${invoice.id}`, { key })).body.data;
    };
    expect(await become('CAPTURED')).toMatchObject({
      status: 'PAID',
      paidAt: expect.any(String),
      paymentIntent: { id: paymentIntentId },
    });
    expect((await act(invoice.id, 'void')).status).toBe(409);
    expect((await session(invoice.id)).status).toBe(409);
    expect(await become('CREATED')).toMatchObject({ status: 'OPEN', paidAt: null });
    expect(await api.database.event.count({ where: { type: 'invoice.paid', resourceId: invoice.id } })).toBe(1);
  });
});
