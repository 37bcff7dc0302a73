/** A standalone invoice in a running gateway: opened, mailed, due, and paid on chain through the link in the mail. */
import { beforeAll, expect, it } from 'vitest';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';
import { openMailbox } from '../setup/mail/mailbox.ts';
import type { Mailbox } from '../setup/mail/start-mailbox.ts';

const HOUR = 3_600;

let gateway: RunningGateway;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
  gateway = await openRunningGateway({ environment: { SMTP_URL: mailbox.url } });
});

const call = async (...request: Parameters<RunningGateway['rest']>) => {
  const answer = await gateway.rest(...request);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};

/** The text of the newest mail, with its transfer encoding decoded. */
function mailedText(): string {
  return (mailbox.mails.at(-1)?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

it('is paid by the link in its mail for a day, even after another session and the due date have ended', async () => {
  const { appId } = gateway.scope;
  const customer = await call('POST', '/customers', { body: { appId, email: 'ada@example.com', name: 'Ada' } });
  const rate = await call('POST', '/tax-rates', { body: { displayName: 'VAT', percentage: 20 } });
  const drafted = await call('POST', '/invoices', {
    body: {
      customerAccountId: customer.id,
      items: [{ description: 'Tea', amount: '2.50', quantity: 4 }],
      taxRateId: rate.id,
      dueDate: new Date(gateway.clock.now().getTime() + 20 * HOUR * 1000).toISOString(),
    },
  });
  const invoice = await call('POST', `/invoices/${drafted.id}/open`);
  expect(invoice).toMatchObject({ status: 'OPEN', invoiceNumber: 'INV-000001', total: '12.00' });
  const retrieve = () => call('GET', `/invoices/${invoice.id}`);

  // The payment intent has an unused session of one hour.
  const unused = await call('POST', '/checkout-sessions', { body: { invoiceId: invoice.id } });
  await call('POST', `/invoices/${invoice.id}/send`);
  await expect.poll(() => mailbox.mails.length, { timeout: 60_000 }).toBe(1);
  expect(mailbox.mails[0]?.to).toEqual(['ada@example.com']);
  const [, id, clientSecret] = /\/checkout\/([0-9a-f-]{36})#(cs_[A-Za-z0-9._-]+)/.exec(mailedText()) ?? [];
  const secret = { clientSecret: clientSecret ?? '' };

  await gateway.advance({ seconds: 21 * HOUR });
  expect((await retrieve()).status).toBe('PAST_DUE');
  expect((await call('GET', `/checkout-sessions/${unused.id}`)).status).toBe('EXPIRED');
  const session = await call('GET', `/checkout-sessions/${id}`, secret);
  expect(session).toMatchObject({ status: 'OPEN', amount: '12.00', paymentIntentId: unused.paymentIntentId });

  const [payer] = gateway.evm.payers;
  const way = { chainId: gateway.evm.chainId, tokenKey: gateway.evm.usdc.key, walletAddress: payer.address };
  const body = { ...way, method: 'DIRECT' };
  const { quote, steps } = await call('POST', `/checkout-sessions/${id}/prepare`, { ...secret, body });
  const { txHash } = await gateway.doSteps(payer, steps);
  await call('POST', `/checkout-sessions/${id}/confirm`, { ...secret, body: { quoteId: quote.id, txHash } });
  await gateway.advance({ seconds: 5 });

  const paid = await retrieve();
  expect(paid).toMatchObject({ status: 'PAID', paymentIntent: { id: session.paymentIntentId, status: 'CAPTURED' } });
  expect(paid.paidAt).toBe(paid.paymentIntent.capturedAt);
  expect((await call('GET', `/checkout-sessions/${id}`)).status).toBe('COMPLETE');
  const page = await fetch(paid.printUrl);
  expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/\$[0-9.,]+ paid on /)]);
  expect((await gateway.rest('POST', `/invoices/${invoice.id}/void`)).body.error.code).toBe('INVALID_STATE');
  const events = await gateway.database.event.findMany({
    where: { resourceId: invoice.id },
    orderBy: { sequence: 'asc' },
  });
  expect(events.map((event) => event.type)).toEqual(['invoice.opened', 'invoice.paid']);
});
