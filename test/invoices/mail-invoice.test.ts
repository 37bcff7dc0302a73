import { beforeAll, describe, expect, it } from 'vitest';
import { mailInvoice } from '../../src/invoices/mail-invoice.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMailer } from '../../src/platform/mail.ts';
import { openMailbox } from '../setup/mailbox.ts';
import { openRestApi, type RestApi } from '../setup/rest.ts';
import type { Mailbox } from '../setup/start-mailbox.ts';
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

const send = (id: string, caller = key) => api.rest('POST', `/invoices/${id}/send`, { key: caller });

describe('sending an invoice', () => {
  it('queues one mail, which the worker sends with its lines, its total and a link that pays it', async () => {
    const id = await openedInvoice('ada@example.com');
    expect((await send(id)).status).toBe(200);
    expect((await send(id)).status).toBe(200);
    const jobs = await api.database.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = 'mail_invoice'`;
    expect(Number(jobs[0]?.count)).toBe(1);
    const mailer = openMailer({
      smtpUrl: mailbox.url,
      from: 'Shop <shop@example.com>',
      isProduction: true,
      log: silentLog,
    });
    onTeardown(async () => mailer.close());
    await mailInvoice({ ...api.world, mailer }, { invoiceId: id });
    const text = (mailbox.mails.at(-1)?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(mailbox.mails.at(-1)?.to).toEqual(['ada@example.com']);
    expect(text).toContain('Total: 6.00 USD');
    expect(text).toContain('Tea &amp; &lt;biscuits&gt;');
    const link = /http:\/\/\S+\/checkout\/([0-9a-f-]{36})#(cs_[A-Za-z0-9._-]+)/.exec(text);
    const session = await api.rest('GET', `/checkout-sessions/${link?.[1]}`, { clientSecret: link?.[2] ?? '' });
    expect(text).toContain(`/invoice/${id}?token=`);
    expect(session.body.data).toMatchObject({ amount: '6.00', sourceType: 'INVOICE', sourceId: id });
  });

  it('is refused for a draft, and for a customer without an email', async () => {
    expect((await send(await openedInvoice(null))).body.error.code).toBe('INVALID_STATE');
    const id = await openedInvoice('ada@example.com');
    await api.rest('POST', `/invoices/${id}/void`, { key });
    expect((await send(id)).status).toBe(409);
  });

  it('is refused without a key, with a publishable one, and for another merchant', async () => {
    const id = await openedInvoice('ada@example.com');
    expect((await api.rest('POST', `/invoices/${id}/send`)).status).toBe(401);
    expect((await send(id, api.merchantA.publishableKey)).status).toBe(403);
    expect((await send(id, api.merchantB.secretKey)).status).toBe(404);
  });

  it('sends no mail for an invoice that is no longer to be paid', async () => {
    const id = await openedInvoice('ada@example.com');
    await api.rest('POST', `/invoices/${id}/void`, { key });
    const before = mailbox.mails.length;
    const mailer = openMailer({
      smtpUrl: mailbox.url,
      from: 'Shop <shop@example.com>',
      isProduction: true,
      log: silentLog,
    });
    await mailInvoice({ ...api.world, mailer }, { invoiceId: id });
    mailer.close();
    expect(mailbox.mails.length).toBe(before);
  });
});
