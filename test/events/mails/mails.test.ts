/** Mails from events to a real mail server: whom they reach, exactly once, through faults of the server and of the worker. */
import { createServer } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import type { Gate } from '../../../src/api/gate.ts';
import { serveInvoice } from '../../../src/api/serve-invoice.ts';
import { serveUnsubscribe } from '../../../src/api/serve-unsubscribe.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import { enqueueMails } from '../../../src/events/mails/enqueue-mails.ts';
import { sendMailJob } from '../../../src/events/mails/jobs.ts';
import { type MemberMailKind, payerMailKinds } from '../../../src/events/mails/mail-kind.ts';
import { purgeMails } from '../../../src/events/mails/purge-mails.ts';
import { queueMails } from '../../../src/events/mails/queue-mails.ts';
import { remindRenewals } from '../../../src/events/mails/remind-renewals.ts';
import { reportLowBalances } from '../../../src/events/mails/report-low-balances.ts';
import { sampleContent } from '../../../src/events/mails/sample-content.ts';
import { sendMail } from '../../../src/events/mails/send-mail.ts';
import { updateMailSettings } from '../../../src/events/mails/update-mail-settings.ts';
import { updateNotifications } from '../../../src/events/mails/update-notifications.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMailer } from '../../../src/platform/mail.ts';
import { openMailbox } from '../../setup/mailbox.ts';
import { readMail } from '../../setup/read-mail.ts';
import type { Mailbox } from '../../setup/start-mailbox.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { DAY, HOUR, openRenewals, type Renewals } from '../../subscriptions/renewal-ground.ts';

let ground: Renewals;
let mailbox: Mailbox;
/** The pages behind the links in mails. */
let pagesUrl: string;

beforeAll(async () => {
  mailbox = await openMailbox();
  ground = await openRenewals({ smtpUrl: mailbox.url });
  const gate = { admit: async () => ({ refusal: undefined }) } as unknown as Gate;
  const world = ground.action as unknown as Parameters<typeof serveInvoice>[0];
  const handlers = [serveInvoice(world, gate), serveUnsubscribe(world, gate)];
  const server = createServer(async (request, response) => {
    for (const handle of handlers) if (await handle(request, response)) return;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTeardown(async () => void server.close());
  const address = server.address();
  pagesUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});

beforeEach(async () => {
  await ground.forget();
  ground.setPrices('');
  await ground.allow(ground.evm.payers[0]);
  await ground.settleDown();
  await ground.database.mail.deleteMany();
  await ground.database.memberNotifications.deleteMany();
  await ground.database.mailSettings.deleteMany();
  mailbox.mails.length = 0;
  mailbox.refused.clear();
  mailbox.onMail(null);
});

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);
const appScope = () => ({ merchantId: ground.scope.merchantId, appId: ground.app.id });
const switchOn = (settings: Partial<Parameters<typeof updateMailSettings>[1]['settings']> = {}) =>
  updateMailSettings(ground, { scope: appScope(), settings: { kinds: [...payerMailKinds], ...settings } });
const mailsTo = (address: string) =>
  mailbox.mails.filter(({ to }) => to.includes(address)).map(({ text }) => readMail(text));
const here = (url: string) => url.replace('http://localhost:4000', pagesUrl);

let counter = 0;
async function customer(fields: { locale?: string; name?: string } = {}) {
  counter += 1;
  const email = `payer-${counter}@example.com`;
  const { id } = await ground.database.customerAccount.create({
    data: { id: newId(), appId: ground.app.id, email, name: 'Ada', ...fields },
  });
  return { id, email };
}

async function member(
  kinds: MemberMailKind[],
  fields: { role?: 'OWNER' | 'VIEWER'; isOperator?: boolean; language?: 'en' | 'de' } = {},
) {
  counter += 1;
  const email = `member-${counter}@example.com`;
  const { role = 'OWNER', isOperator = false, language = 'en' } = fields;
  const { id } = await ground.database.member.create({
    data: { id: newId(), merchantId: ground.scope.merchantId, email, role, joinedAt: ground.clock.now(), isOperator },
  });
  await updateNotifications(ground, { memberId: id, settings: { kinds, language } });
  return { id, email };
}

async function paid(customerAccountId: string | null) {
  const intent = await ground.intent({ customerAccountId });
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  await ground.settleDown();
  return intent;
}

/** Tells of an event that needs no chain. */
async function disabled(times = 1) {
  await transaction(ground.database, (tx) =>
    appendEvents(
      tx,
      ground.app.id,
      Array.from({ length: times }, () => ({
        type: 'webhook_endpoint.disabled' as const,
        resourceId: newId(),
        data: { url: 'https://example.com/hooks' },
      })),
    ),
  );
  await ground.settleDown();
}

describe('a payer', () => {
  it('receives nothing from an app that has switched nothing on', async () => {
    const { id } = await customer();
    await paid(id);
    expect(mailbox.mails).toEqual([]);
    expect(await ground.database.mail.count()).toBe(0);
  });

  it('receives a receipt in the merchant’s name and the customer’s language, once, with the hash', async () => {
    await switchOn({ fromName: 'Tee <Haus>', replyTo: 'help@example.com' });
    const { id, email } = await customer({ locale: 'de', name: 'Ada <b>' });
    const intent = await paid(id);
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    const { captureTxHash } = await ground.read(intent.id);
    expect(mail?.subject).toBe('Ihr Zahlungsbeleg von App');
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('10,00\u00a0$');
      expect(part).toContain('10 USDC');
      expect(part).toContain(captureTxHash);
    }
    expect(mail?.html).toContain('Guten Tag Ada &lt;b&gt;,');
    expect(mail?.headers.get('from')).toContain('no-reply@localhost');
    expect(mail?.headers.get('from')).toContain('Tee <Haus>');
    expect(mail?.headers.get('reply-to')).toBe('help@example.com');
    const row = await ground.database.mail.findFirstOrThrow({ where: { recipient: email } });
    expect(mail?.headers.get('message-id')).toBe(`<${row.id}@localhost>`);
    expect(row).toMatchObject({ status: 'SENT', tries: 1, content: null, error: null, resourceId: intent.id });
    expect(mail?.headers.has('list-unsubscribe')).toBe(false);
  });

  it('receives one mail of an event that is reacted to again and concurrently', async () => {
    await switchOn();
    const { id, email } = await customer();
    const intent = await paid(id);
    const event = await ground.database.event.findFirstOrThrow({
      where: { resourceId: intent.id, type: 'payment_intent.captured' },
    });
    await Promise.all([1, 2, 3, 4].map(() => queueMails(ground.action, [event])));
    await ground.settleDown();
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('without an address receives nothing, and neither does one of a kind that is off', async () => {
    await switchOn({ kinds: ['REFUND'] });
    const { id } = await customer();
    await paid(id);
    await paid(null);
    expect(await ground.database.mail.count()).toBe(0);
  });

  it('receives each refund with its amount, reason and hash', async () => {
    await switchOn({ kinds: ['REFUND'] });
    const { id, email } = await customer();
    const intent = await paid(id);
    await refundPaymentIntent(ground.action, {
      scope: ground.scope,
      id: intent.id,
      reason: 'Broken <cup>',
      percent: 25,
    } as never);
    await ground.settleDown();
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Your refund from App');
    expect(mail?.text).toContain('2.5 USDC');
    expect(mail?.text).toContain('Broken <cup>');
    expect(mail?.html).toContain('Broken &lt;cup&gt;');
    const { refundTxHash } = await ground.read(intent.id);
    expect(mail?.text).toContain(refundTxHash ?? 'a hash');
  });

  it('is reminded of a renewal once, some days before it, and no more after unsubscribing', async () => {
    await switchOn({ kinds: ['RENEWAL_REMINDER'], reminderDays: 3 });
    const { id, email } = await customer();
    const { id: subscriptionId, trialEnd } = await ground.subscribe({
      trialSeconds: 10 * DAY,
      tax: { percentage: '19', inclusive: false },
    });
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.goTo(later(trialEnd, -3 * DAY - 60));
    expect(await remindRenewals(ground)).toBe(0);
    await ground.goTo(later(trialEnd, -3 * DAY + 10));
    expect(await remindRenewals(ground)).toBe(1);
    expect(await remindRenewals(ground)).toBe(0);
    await ground.settleDown();
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Your subscription to Gold renews soon');
    expect(mail?.text).toContain('$11.90');
    const [, url = ''] = /<(.+)>/.exec(mail?.headers.get('list-unsubscribe') ?? '') ?? [];
    expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect((await fetch(here(url.replace('token=', 'token=x')), { method: 'POST' })).status).toBe(404);
    expect((await fetch(here(url))).status).toBe(200);
    expect(await ground.database.mailOptOut.count()).toBe(0);
    const clicked = await fetch(here(url), { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect([clicked.status, await ground.database.mailOptOut.count()]).toEqual([200, 1]);
    await ground.database.mail.deleteMany();
    expect(await remindRenewals(ground)).toBe(0);
  });

  it('is not reminded of renewals that were near when reminders were switched on', async () => {
    const { id } = await customer();
    const { id: subscriptionId } = await ground.subscribe({ trialSeconds: 10 * DAY });
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.goTo(later(ground.clock.now(), 8 * DAY));
    await switchOn({ kinds: ['RENEWAL_REMINDER'], reminderDays: 3 });
    expect(await remindRenewals(ground)).toBe(0);
  });

  it('pays a failed renewal by the link in the mail, and the subscription is renewed', async () => {
    await switchOn({ kinds: ['RENEWAL_FAILED'] });
    const { id, email } = await customer({ locale: 'de' });
    const { id: subscriptionId, trialEnd } = await ground.subscribe();
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.database.customerWallet.updateMany({
      data: { customerAccountId: id },
      where: { subscriptions: { some: { id: subscriptionId } } },
    });
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 6]) await ground.goTo(later(trialEnd, hours * HOUR));
    const [mail, ...repeated] = mailsTo(email);
    expect(repeated).toEqual([]);
    expect(mail?.subject).toBe('Ihr Abonnement Gold konnte nicht verlängert werden');
    expect(mail?.text).toContain('Ihre Wallet erlaubt keine Zahlung in dieser Höhe mehr.');
    const [link = ''] = /http:\/\/localhost:4000\/invoice\/\S+/.exec(mail?.text ?? '') ?? [];
    expect(mail?.html).toContain(link.replaceAll('&', '&amp;'));
    const shown = await (await fetch(here(link))).text();
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(shown) ?? [];
    const paying = await fetch(`${pagesUrl}${action.replaceAll('&amp;', '&')}`, { method: 'POST', redirect: 'manual' });
    expect(paying.status).toBe(303);
    const sessionId = /\/checkout\/([0-9a-f-]+)#/.exec(paying.headers.get('location') ?? '')?.[1] ?? '';
    const session = await ground.database.checkoutSession.findUniqueOrThrow({ where: { id: sessionId } });
    await ground.allow(ground.evm.payers[0]);
    await ground.authorize(await ground.sign({ id: session.paymentIntentId ?? '' }));
    await ground.settleDown();
    expect(await ground.subscriptionOf(subscriptionId)).toMatchObject({
      status: 'ACTIVE',
      captureRetryCount: 0,
      currentPeriodStart: trialEnd,
    });
    expect((await ground.invoices(subscriptionId))[0]?.status).toBe('PAID');
    await ground.goTo(later(trialEnd, 25 * HOUR));
    expect(await ground.invoices(subscriptionId)).toHaveLength(1);
    expect(await (await fetch(here(link))).text()).not.toContain('<form');
  });

  it('is told again when the subscription becomes past due', async () => {
    await switchOn({ kinds: ['RENEWAL_FAILED'] });
    const { id, email } = await customer();
    const { id: subscriptionId, trialEnd } = await ground.subscribe();
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 6, 24, 72]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect(mailsTo(email).map(({ subject }) => subject)).toEqual([
      'We could not renew your subscription to Gold',
      'Your subscription to Gold is past due',
    ]);
  });
});

describe('a mail server', () => {
  async function queued() {
    const { email } = await customer();
    const content = sampleContent('RECEIPT', { appName: 'App', now: ground.clock.now() });
    const mail = {
      appId: ground.app.id,
      memberId: null,
      source: newId(),
      kind: 'RECEIPT' as const,
      recipient: email,
      language: 'en' as const,
      resourceId: null,
      content,
    };
    await transaction(ground.database, (tx) => enqueueMails(tx, { mails: [mail], now: ground.clock.now() }));
    const row = await ground.database.mail.findFirstOrThrow({ where: { recipient: email } });
    return { id: row.id, email };
  }
  const stateOf = (id: string) => ground.database.mail.findUniqueOrThrow({ where: { id } });

  it('that is down is tried again, and the mail arrives once it is up', async () => {
    const { id, email } = await queued();
    mailbox.onMail(async () => 'busy');
    await ground.settleDown();
    const waiting = await stateOf(id);
    expect(waiting).toMatchObject({ status: 'QUEUED', tries: 1, error: expect.stringContaining('busy') });
    const away = openMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@b.c', isProduction: true, log: silentLog });
    await sendMail({ ...ground.action, mailer: away }, { mailId: id });
    expect(await stateOf(id)).toMatchObject({
      status: 'QUEUED',
      tries: 2,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    mailbox.onMail(null);
    await ground.goTo(later(ground.clock.now(), 10 * 60));
    expect(await stateOf(id)).toMatchObject({ status: 'SENT', tries: 3, error: null, nextTryAt: null });
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('that never recovers makes it FAILED after 8 tries, with the reason', async () => {
    const { id, email } = await queued();
    mailbox.onMail(async () => 'busy');
    for (let tries = 0; tries < 9; tries += 1) await ground.goTo(later(ground.clock.now(), 24 * HOUR + 60));
    expect(await stateOf(id)).toMatchObject({
      status: 'FAILED',
      tries: 8,
      error: expect.stringContaining('busy'),
      content: null,
    });
    expect(mailsTo(email)).toEqual([]);
  });

  it('that refuses the recipient for good is not asked again', async () => {
    const { id, email } = await queued();
    mailbox.refused.add(email);
    await ground.settleDown();
    expect(await stateOf(id)).toMatchObject({ status: 'FAILED', tries: 1, error: expect.stringContaining('550') });
    mailbox.refused.clear();
    await ground.goTo(later(ground.clock.now(), DAY));
    expect(mailsTo(email)).toEqual([]);
  });

  it('is given a mail by one worker at a time, and again with the same Message-ID if that one was killed', async () => {
    const { id, email } = await queued();
    let accepted: () => void = () => undefined;
    const isAccepted = new Promise<void>((resolve) => {
      accepted = resolve;
    });
    // Killed after the server has accepted the mail, and before that is recorded.
    const killed = {
      ...ground.action.mailer,
      async send(mail: Parameters<typeof ground.action.mailer.send>[0]) {
        await ground.action.mailer.send(mail);
        accepted();
        await new Promise(() => undefined);
      },
    };
    void sendMail({ ...ground.action, mailer: killed }, { mailId: id });
    await isAccepted;
    await sendMail(ground.action, { mailId: id });
    expect(mailsTo(email)).toHaveLength(1);
    await ground.goTo(later(ground.clock.now(), 70));
    expect(await stateOf(id)).toMatchObject({ status: 'SENT', tries: 2 });
    const ids = mailsTo(email).map(({ headers }) => headers.get('message-id'));
    expect(ids).toEqual([`<${id}@localhost>`, `<${id}@localhost>`]);
    await ground.runDueJobs();
    await sendMail(ground.action, sendMailJob.payload.parse({ mailId: id }));
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('and what it was given is forgotten after the retention', async () => {
    const { id } = await queued();
    await ground.settleDown();
    expect(await purgeMails(ground, { days: 1 })).toBe(0);
    await ground.goTo(later(ground.clock.now(), DAY + 60));
    expect(await purgeMails(ground, { days: 1 })).toBe(1);
    expect(await ground.database.mail.count({ where: { id } })).toBe(0);
  });
});

describe('a member', () => {
  it('receives what this member has switched on, in this member’s language, and others nothing', async () => {
    const owner = await member(['PAYMENT'], { language: 'de' });
    const viewer = await member(['WEBHOOK_DISABLED'], { role: 'VIEWER' });
    const nobody = await member([]);
    const stranger = await ground.database.merchant.create({ data: { id: newId(), name: 'Other' } });
    const other = await member(['PAYMENT', 'WEBHOOK_DISABLED']);
    await ground.database.member.update({ where: { id: other.id }, data: { merchantId: stranger.id } });
    const intent = await paid(null);
    await disabled();
    expect(mailsTo(owner.email).map(({ subject }) => subject)).toEqual(['Zahlung eingegangen: 10,00\u00a0$']);
    expect(mailsTo(owner.email)[0]?.text).toContain(`/dashboard/payments/${intent.id}`);
    expect(mailsTo(viewer.email).map(({ subject }) => subject)).toEqual(['A webhook endpoint of App was disabled']);
    expect(mailsTo(viewer.email)[0]?.text).toContain('https://example.com/hooks');
    expect([...mailsTo(nobody.email), ...mailsTo(other.email)]).toEqual([]);
  });

  it('who was removed receives nothing', async () => {
    const gone = await member(['WEBHOOK_DISABLED']);
    await ground.database.member.update({ where: { id: gone.id }, data: { removedAt: ground.clock.now() } });
    await disabled();
    expect(mailsTo(gone.email)).toEqual([]);
  });

  it('receives at most 10 mails an hour, and then one that counts the others', async () => {
    const busy = await member(['WEBHOOK_DISABLED']);
    await disabled(120);
    expect(mailsTo(busy.email)).toHaveLength(10);
    await disabled(5);
    expect(mailsTo(busy.email)).toHaveLength(10);
    await ground.goTo(later(ground.clock.now(), HOUR + 60));
    const summary = mailsTo(busy.email).at(-1);
    expect(mailsTo(busy.email)).toHaveLength(11);
    expect(summary?.subject).toBe('115 more notifications in the last hour');
    expect(summary?.text).toContain('115 disabled webhooks');
    expect(await ground.database.mail.count({ where: { memberId: busy.id, status: 'SUMMARIZED' } })).toBe(115);
    await disabled();
    expect(mailsTo(busy.email)).toHaveLength(12);
  });

  it('unsubscribes from one kind with one click', async () => {
    const { id, email } = await member(['WEBHOOK_DISABLED', 'PAYMENT']);
    await disabled();
    const [, url = ''] = /<(.+)>/.exec(mailsTo(email)[0]?.headers.get('list-unsubscribe') ?? '') ?? [];
    expect((await fetch(here(url), { method: 'POST' })).status).toBe(200);
    const settings = await ground.database.memberNotifications.findUniqueOrThrow({ where: { memberId: id } });
    expect(settings.kinds).toEqual(['PAYMENT']);
  });

  it('is told of a key with little left for gas only if this member operates the installation, once a day', async () => {
    const operator = await member(['LOW_BALANCE'], { isOperator: true });
    const owner = await member(['LOW_BALANCE']);
    const world = { ...ground.action, config: { mail: { operator: 'ops@example.com' } } };
    const low = {
      chainId: ground.evm.chainId,
      sender: '0xabc',
      left: 1_000_000_000_000_000n,
      decimals: 18,
      isLow: true,
    };
    for (let run = 0; run < 3; run += 1)
      await reportLowBalances(world, [low, { ...low, sender: '0xdef', isLow: false }]);
    await ground.settleDown();
    expect(mailsTo(operator.email)).toHaveLength(1);
    expect(mailsTo(operator.email)[0]?.text).toContain('0.001');
    expect(mailsTo('ops@example.com')).toHaveLength(1);
    expect(mailsTo(owner.email)).toEqual([]);
  });
});
