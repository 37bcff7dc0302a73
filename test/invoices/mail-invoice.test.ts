import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { createInvoiceCheckout } from '../../src/invoices/create-invoice-checkout.ts';
import { mailInvoiceJob } from '../../src/invoices/jobs.ts';
import { mailInvoice } from '../../src/invoices/mail-invoice.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openLog } from '../../src/platform/log.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { jobEntry, runQueue } from '../../src/platform/queue.ts';
import { openRestApi, type RestApi } from '../setup/api/rest.ts';
import { openMailbox } from '../setup/mail/mailbox.ts';
import type { Mailbox } from '../setup/mail/start-mailbox.ts';
import { onTeardown } from '../setup/teardown.ts';

let api: RestApi;
let key: string;
let mailbox: Mailbox;

beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  mailbox = await openMailbox();
});

async function openedInvoice(email: string | null): Promise<string> {
  const customer = await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId, email } });
  const items = [{ description: 'Tea & <biscuits>', amount: '3.00', quantity: 2 }];
  const invoice = await api.rest('POST', '/invoices', {
    key,
    body: { customerAccountId: customer.body.data.id, items },
  });
  const { id } = invoice.body.data;
  await api.rest('POST', `/invoices/${id}/open`, { key });
  return id;
}

type Line = { level: number; msg: string; invoiceId?: string; reason?: string };

/** The worker's environment for mails: the real server, and a log that keeps its lines. */
function mailing() {
  const lines: Line[] = [];
  const log = openLog({ level: 'debug', part: 'worker' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const mailer = openMailer({ smtpUrl: mailbox.url, from: 'Shop <shop@example.com>', isProduction: true, log });
  onTeardown(async () => mailer.close());
  return { lines, log, world: { ...api.world, mailer, log } };
}

/** The worker's queue with the job that mails invoices. */
async function work() {
  const { lines, log, world } = mailing();
  const table = new Map([jobEntry(mailInvoiceJob, (payload) => mailInvoice(world, payload))]);
  const queue = await runQueue({ url: api.databaseUrl, jobs: table, log });
  onTeardown(() => queue.stop());
  return { lines, queue };
}

const reasons = (lines: readonly Line[], id: string) =>
  lines.filter(({ invoiceId }) => invoiceId === id).map(({ reason }) => reason);

const mailsOf = async (id: string) =>
  mailbox.mails.filter(({ text }) => text.replaceAll('=\r\n', '').includes(`/invoice/${id}`)).length;

async function jobs(id: string): Promise<number> {
  const rows = await api.database.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM graphile_worker.jobs WHERE key = ${`mail-invoice:${id}`}`;
  return Number(rows[0]?.count);
}

async function sessionStates(id: string): Promise<string[]> {
  const sessions = await api.database.checkoutSession.findMany({ where: { sourceId: id } });
  return sessions.map(({ status }) => status);
}

async function untilSomebodyWaits(): Promise<void> {
  await vi.waitUntil(async () => {
    const [row] = await api.database.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return Number(row?.count) > 0;
  });
}

async function voidIt(id: string): Promise<void> {
  expect((await api.rest('POST', `/invoices/${id}/void`, { key })).status).toBe(200);
}

afterEach(() => mailbox.onMail(null));

const send = (id: string, caller = key) => api.rest('POST', `/invoices/${id}/send`, { key: caller });

describe('sending an invoice', () => {
  it('queues one mail, which the worker sends with the lines, the total and a payment link', async () => {
    const id = await openedInvoice('ada@example.com');
    expect((await send(id)).status).toBe(200);
    expect((await send(id)).status).toBe(200);
    const jobs = await api.database.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = 'mail_invoice'`;
    expect(Number(jobs[0]?.count)).toBe(1);
    await mailInvoice(mailing().world, { invoiceId: id });
    const text = (mailbox.mails.at(-1)?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(mailbox.mails.at(-1)?.to).toEqual(['ada@example.com']);
    expect(text).toContain('Total: $6.00');
    expect(text).toContain('Tea &amp; &lt;biscuits&gt;');
    const link = /http:\/\/\S+\/checkout\/([0-9a-f-]{36})#(cs_[A-Za-z0-9._-]+)/.exec(text);
    const session = await api.rest('GET', `/checkout-sessions/${link?.[1]}`, { clientSecret: link?.[2] ?? '' });
    expect(text).toContain(`/invoice/${id}?token=`);
    expect(session.body.data).toMatchObject({ amount: '6.00', sourceType: 'INVOICE', sourceId: id });
  });

  it('is rejected for a draft, and for a customer without an email address', async () => {
    expect((await send(await openedInvoice(null))).body.error.code).toBe('INVALID_STATE');
    const id = await openedInvoice('ada@example.com');
    await api.rest('POST', `/invoices/${id}/void`, { key });
    expect((await send(id)).status).toBe(409);
  });

  it('is rejected without a key, with a publishable one, and for another merchant', async () => {
    const id = await openedInvoice('ada@example.com');
    expect((await api.rest('POST', `/invoices/${id}/send`)).status).toBe(401);
    expect((await send(id, api.merchantA.publishableKey)).status).toBe(403);
    expect((await send(id, api.merchantB.secretKey)).status).toBe(404);
  });

  it('completes the job without a failure or a mail if the invoice was voided after the request', async () => {
    const id = await openedInvoice('ada@example.com');
    await send(id);
    await voidIt(id);
    const { lines, queue } = await work();
    await vi.waitUntil(async () => (await jobs(id)) === 0, { timeout: 20_000 });
    await queue.stop();
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual(['The invoice is VOID.']);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
    expect(await api.database.checkoutSession.count({ where: { sourceId: id } })).toBe(0);
  });
});

describe('an invoice that changes while it is being mailed', () => {
  it('is voided before its link is created: no mail is sent, and the job is done', async () => {
    const id = await openedInvoice('ada@example.com');
    const { world, lines } = mailing();
    // The void holds the row, so that the creation of the link waits, and then finds the invoice VOID.
    const sending = transaction(api.database, async (tx) => {
      await tx.$queryRaw`SELECT id::text FROM invoice WHERE id = ${id}::uuid FOR UPDATE`;
      const mailed = mailInvoice(world, { invoiceId: id });
      await untilSomebodyWaits();
      await tx.invoice.update({ where: { id }, data: { status: 'VOID', voidedAt: new Date() } });
      return { mailed };
    });
    await (await sending).mailed;
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual(['The invoice is VOID.']);
  });

  it('is voided after its link was created: no mail is sent, and the link has expired', async () => {
    const id = await openedInvoice('ada@example.com');
    const { world, lines } = mailing();
    const database = new Proxy(world.database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== '$transaction' || typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const answer: unknown = await Reflect.apply(value, target, args);
          await voidIt(id);
          return answer;
        };
      },
    });
    await mailInvoice({ ...world, database }, { invoiceId: id });
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual(['The invoice is VOID.']);
    expect(await sessionStates(id)).toEqual(['EXPIRED']);
  });

  it('is voided while the server processes the mail: one mail with an expired link, and the job is done', async () => {
    const id = await openedInvoice('ada@example.com');
    mailbox.onMail(async () => {
      await voidIt(id);
      return null;
    });
    const { world, lines } = mailing();
    await mailInvoice(world, { invoiceId: id });
    expect(await mailsOf(id)).toBe(1);
    expect(await sessionStates(id)).toEqual(['EXPIRED']);
    expect(reasons(lines, id)).toEqual([]);
  });

  it('is voided while the server rejects the mail: it is not sent again, and the job is done', async () => {
    const id = await openedInvoice('ada@example.com');
    mailbox.onMail(async () => {
      await voidIt(id);
      return 'Try again later.';
    });
    const { world, lines } = mailing();
    await mailInvoice(world, { invoiceId: id });
    mailbox.onMail(null);
    await mailInvoice(world, { invoiceId: id });
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual(['The invoice is VOID.', 'The invoice is VOID.']);
  });

  it('stays OPEN while the server rejects the mail: the job fails, and its next attempt sends it', async () => {
    const id = await openedInvoice('ada@example.com');
    mailbox.onMail(async () => 'Try again later.');
    const { world, lines } = mailing();
    await expect(mailInvoice(world, { invoiceId: id })).rejects.toThrow('Try again later.');
    mailbox.onMail(null);
    await mailInvoice(world, { invoiceId: id });
    expect(await mailsOf(id)).toBe(1);
    expect(reasons(lines, id)).toEqual([]);
  });

  it.each([
    ['was paid', { status: 'PAID' as const }, 'The invoice is PAID.'],
    ['was given up', { status: 'UNCOLLECTIBLE' as const }, 'The invoice is UNCOLLECTIBLE.'],
  ])('%s: no mail is sent, and the job is done', async (_, data, reason) => {
    const id = await openedInvoice('ada@example.com');
    await api.database.invoice.update({ where: { id }, data });
    const { world, lines } = mailing();
    await mailInvoice(world, { invoiceId: id });
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual([reason]);
  });

  it('is being paid: no mail is sent, because a link to pay it again would be wrong', async () => {
    const id = await openedInvoice('ada@example.com');
    const { appId, merchantId } = api.merchantA;
    await createInvoiceCheckout(api.world, { scope: { merchantId, appId }, invoiceId: id, options: {} });
    const { paymentIntentId } = await api.database.invoice.findUniqueOrThrow({ where: { id } });
    await api.database.paymentIntent.update({ where: { id: paymentIntentId ?? '' }, data: { status: 'AUTHORIZED' } });
    const { world, lines } = mailing();
    await mailInvoice(world, { invoiceId: id });
    expect(await mailsOf(id)).toBe(0);
    expect(reasons(lines, id)).toEqual([expect.stringContaining('AUTHORIZED')]);
  });

  it('is deleted, or its customer has no address any more: no mail is sent, and the job is done', async () => {
    const { world, lines } = mailing();
    const missing = newId();
    await mailInvoice(world, { invoiceId: missing });
    expect(reasons(lines, missing)).toEqual(['The invoice no longer exists.']);
    const id = await openedInvoice('ada@example.com');
    const { customerAccountId } = await api.database.invoice.findUniqueOrThrow({ where: { id } });
    await api.database.customerAccount.update({ where: { id: customerAccountId }, data: { email: null } });
    await mailInvoice(world, { invoiceId: id });
    expect(reasons(lines, id)).toEqual(['Its customer no longer has an email address.']);
  });
});
