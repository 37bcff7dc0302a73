/** Mails to members, and the delivery of all mails to the mail server. */
import { beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { enqueueMails } from '../../../src/events/mails/enqueue-mails.ts';
import { purgeMails } from '../../../src/events/mails/purge-mails.ts';
import { reportLowBalances } from '../../../src/events/mails/report-low-balances.ts';
import { sampleContent } from '../../../src/events/mails/sample-content.ts';
import { openMailSender, sweepMails } from '../../../src/events/mails/send-due-mails.ts';
import { unsubscribe } from '../../../src/events/mails/unsubscribe.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMailer } from '../../../src/platform/mail/mail.ts';
import { DAY, HOUR } from '../../subscriptions/renewal-ground.ts';
import { later, openMails } from './mail-ground.ts';

const { ground, mailbox, forget, mailsTo, here, customer, member, paid, disabled } = await openMails();
beforeEach(forget);

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

  it('that is unavailable is retried, and the mail arrives once the server is back', async () => {
    const { id, email } = await queued();
    mailbox.onMail(async () => 'busy');
    await ground.settleDown();
    const waiting = await stateOf(id);
    expect(waiting).toMatchObject({ status: 'QUEUED', tries: 1, error: 'TEMPORARILY_REJECTED' });
    const away = openMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@b.c', isProduction: true, log: silentLog });
    await ground.passTime(70);
    const logged: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => logged.push(fields) } as unknown as typeof silentLog;
    await openMailSender({ ...ground.action, mailer: away, log }).turn();
    expect(logged).toMatchObject([{ category: 'SERVER_UNREACHABLE', error: expect.stringContaining('127.0.0.1') }]);
    expect(await stateOf(id)).toMatchObject({
      status: 'QUEUED',
      tries: 2,
      error: 'SERVER_UNREACHABLE',
    });
    mailbox.onMail(null);
    await ground.goTo(later(ground.clock.now(), 10 * 60));
    expect(await stateOf(id)).toMatchObject({ status: 'SENT', tries: 3, error: null, nextTryAt: null });
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('that never recovers makes the mail FAILED after 8 attempts, with the reason', async () => {
    const { id, email } = await queued();
    mailbox.onMail(async () => 'busy');
    for (let attempt = 0; attempt < 9; attempt += 1) await ground.goTo(later(ground.clock.now(), 24 * HOUR + 60));
    expect(await stateOf(id)).toMatchObject({
      status: 'FAILED',
      tries: 8,
      error: 'TEMPORARILY_REJECTED',
      content: null,
    });
    expect(mailsTo(email)).toEqual([]);
  });

  it('that rejects the recipient permanently is not retried', async () => {
    const { id, email } = await queued();
    mailbox.refused.add(email);
    await ground.settleDown();
    expect(await stateOf(id)).toMatchObject({ status: 'FAILED', tries: 1, error: 'RECIPIENT_REJECTED' });
    mailbox.refused.clear();
    await ground.goTo(later(ground.clock.now(), DAY));
    expect(mailsTo(email)).toEqual([]);
  });

  it('receives each mail from one worker at a time, with the same Message-ID after a worker was killed', async () => {
    const { id, email } = await queued();
    let accepted: () => void = () => undefined;
    const isAccepted = new Promise<void>((resolve) => {
      accepted = resolve;
    });
    // Killed after the server has accepted the mail, but before this is recorded.
    const killed = {
      ...ground.action.mailer,
      async send(mail: Parameters<typeof ground.action.mailer.send>[0]) {
        await ground.action.mailer.send(mail);
        accepted();
        await new Promise(() => undefined);
      },
    };
    void openMailSender({ ...ground.action, mailer: killed }).turn();
    await isAccepted;
    await ground.settleDown();
    expect(mailsTo(email)).toHaveLength(1);
    await ground.goTo(later(ground.clock.now(), 70));
    expect(await stateOf(id)).toMatchObject({ status: 'SENT', tries: 2 });
    const ids = mailsTo(email).map(({ headers }) => headers.get('message-id'));
    expect(ids).toEqual([`<${id}@localhost>`, `<${id}@localhost>`]);
    await openMailSender(ground.action).turn();
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('that does not respond is paused for a minute, without counting attempts of unsent mails', async () => {
    const ids = [];
    for (let mails = 0; mails < 6; mails += 1) ids.push((await queued()).id);
    const away = openMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@b.c', isProduction: true, log: silentLog });
    const sender = openMailSender({ ...ground.action, mailer: away });
    await Promise.all([sender.turn(), sender.turn()]);
    const attemptsOf = async () =>
      (await ground.database.mail.findMany({ orderBy: { id: 'asc' } })).map((mail) => mail.tries);
    expect(await attemptsOf()).toEqual([1, 1, 1, 1, 0, 0]);
    await ground.database.$executeRaw`DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'send-mails%'`;
    await sweepMails(ground);
    await ground.settleDown();
    expect(mailbox.mails).toEqual([]);
    await ground.passTime(4 * 60);
    await sweepMails(ground);
    await ground.settleDown();
    expect(mailbox.mails).toHaveLength(6);
    expect(await attemptsOf()).toEqual([2, 2, 2, 2, 1, 1]);
  });

  it('has its delivered mails deleted after the retention period', async () => {
    const { id } = await queued();
    await ground.settleDown();
    expect(await purgeMails(ground, { days: 1 })).toBe(0);
    await ground.goTo(later(ground.clock.now(), DAY + 60));
    expect(await purgeMails(ground, { days: 1 })).toBe(1);
    expect(await ground.database.mail.count({ where: { id } })).toBe(0);
  });
});

describe('a queued mail', () => {
  /** Queues a mail while the mail server is busy, so that it is retried. */
  async function waiting(recipient: { email: string }) {
    const row = await ground.database.mail.findFirstOrThrow({ where: { recipient: recipient.email } });
    expect(row).toMatchObject({ status: 'QUEUED', tries: 1, error: 'TEMPORARILY_REJECTED' });
    mailbox.onMail(null);
    return async () => {
      await ground.goTo(later(ground.clock.now(), 10 * 60));
      const after = await ground.database.mail.findUniqueOrThrow({ where: { id: row.id } });
      return [after.status, after.error, after.tries, after.content, mailsTo(recipient.email).length];
    };
  }

  it('is sent to a member who still subscribes to its kind', async () => {
    mailbox.onMail(async () => 'busy');
    const kept = await member(['WEBHOOK_DISABLED']);
    await disabled();
    const outcome = await waiting(kept);
    expect(await outcome()).toEqual(['SENT', null, 2, null, 1]);
  });

  it('is cancelled if its member was removed', async () => {
    mailbox.onMail(async () => 'busy');
    const gone = await member(['WEBHOOK_DISABLED']);
    await disabled();
    const outcome = await waiting(gone);
    await ground.database.member.update({ where: { id: gone.id }, data: { removedAt: ground.clock.now() } });
    expect(await outcome()).toEqual(['CANCELLED', 'RECIPIENT_REMOVED', 1, null, 0]);
  });

  it('is cancelled if its member has unsubscribed from its kind, but not from another kind', async () => {
    for (const [kind, expected] of [
      ['WEBHOOK_DISABLED', ['CANCELLED', 'UNSUBSCRIBED', 1, null, 0]],
      ['ALL', ['CANCELLED', 'UNSUBSCRIBED', 1, null, 0]],
      ['PAYMENT', ['SENT', null, 2, null, 1]],
    ] as const) {
      mailbox.onMail(async () => 'busy');
      const subscriber = await member(['WEBHOOK_DISABLED', 'PAYMENT']);
      await disabled();
      const outcome = await waiting(subscriber);
      await unsubscribe(ground, { who: 'member', id: subscriber.id, kind });
      expect(await outcome(), kind).toEqual(expected);
      await forget();
    }
  });

  it('about a low balance is cancelled if its member is no longer an operator', async () => {
    mailbox.onMail(async () => 'busy');
    const former = await member(['LOW_BALANCE'], { isOperator: true });
    const world = { ...ground.action, config: { mail: {} } };
    await reportLowBalances(world, [
      { chainId: ground.evm.chainId, sender: '0xabc', left: 1n, decimals: 18, isLow: true },
    ]);
    await ground.settleDown();
    const outcome = await waiting(former);
    await ground.database.member.update({ where: { id: former.id }, data: { isOperator: false } });
    expect(await outcome()).toEqual(['CANCELLED', 'RECIPIENT_REMOVED', 1, null, 0]);
  });

  it('with a renewal reminder is cancelled if its payer has unsubscribed, but a receipt is not', async () => {
    for (const [kind, expected] of [
      ['RENEWAL_REMINDER', ['CANCELLED', 'UNSUBSCRIBED', 1, null, 0]],
      ['RECEIPT', ['SENT', null, 2, null, 1]],
    ] as const) {
      mailbox.onMail(async () => 'busy');
      const payer = await customer();
      const content = sampleContent(kind, { appName: 'App', now: ground.clock.now() });
      const mail = { appId: ground.app.id, memberId: null, source: newId(), kind, recipient: payer.email };
      const mails = [{ ...mail, language: 'en' as const, resourceId: null, content }];
      await transaction(ground.database, (tx) => enqueueMails(tx, { mails, now: ground.clock.now() }));
      await ground.settleDown();
      const outcome = await waiting(payer);
      await unsubscribe(ground, { who: 'customer', id: payer.id, kind: 'RENEWAL_REMINDER' });
      expect(await outcome(), kind).toEqual(expected);
      await forget();
    }
  });

  it('that waits for a summary is cancelled if its member was removed or has unsubscribed', async () => {
    const [gone, unsubscribed] = [await member(['WEBHOOK_DISABLED']), await member(['WEBHOOK_DISABLED', 'PAYMENT'])];
    await disabled(12);
    await ground.database.member.update({ where: { id: gone.id }, data: { removedAt: ground.clock.now() } });
    await unsubscribe(ground, { who: 'member', id: unsubscribed.id, kind: 'WEBHOOK_DISABLED' });
    await ground.goTo(later(ground.clock.now(), HOUR + 60));
    for (const [{ id, email }, error] of [
      [gone, 'RECIPIENT_REMOVED'],
      [unsubscribed, 'UNSUBSCRIBED'],
    ] as const) {
      const where = { memberId: id, status: { not: 'SENT' as const } };
      const others = await ground.database.mail.findMany({ where });
      expect(others.map((mail) => [mail.status, mail.error])).toEqual([
        ['CANCELLED', error],
        ['CANCELLED', error],
      ]);
      expect(mailsTo(email)).toHaveLength(10);
    }
  });
});

describe('a member', () => {
  it('receives only the mails that this member has switched on, in this member’s language', async () => {
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

  it('who was removed receives no mail', async () => {
    const gone = await member(['WEBHOOK_DISABLED']);
    await ground.database.member.update({ where: { id: gone.id }, data: { removedAt: ground.clock.now() } });
    await disabled();
    expect(mailsTo(gone.email)).toEqual([]);
  });

  it('receives at most 10 mails an hour, and then one that summarizes the rest', async () => {
    const busy = await member(['WEBHOOK_DISABLED']);
    await disabled(120);
    expect(mailsTo(busy.email)).toHaveLength(10);
    await disabled(5);
    expect(mailsTo(busy.email)).toHaveLength(10);
    await ground.goTo(later(ground.clock.now(), HOUR + 60));
    const summary = mailsTo(busy.email).at(-1);
    expect(mailsTo(busy.email)).toHaveLength(11);
    expect(summary?.subject).toBe('115 more notifications in the last hour');
    expect(summary?.text).toContain('115 disabled webhook endpoints');
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

  it('is warned once a day of a key with little balance for gas, but only if this member is an operator', async () => {
    const operator = await member(['LOW_BALANCE'], { isOperator: true });
    const owner = await member(['LOW_BALANCE']);
    const invited = await member(['LOW_BALANCE'], { isOperator: true });
    await ground.database.member.update({ where: { id: invited.id }, data: { joinedAt: null } });
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
    expect([...mailsTo(owner.email), ...mailsTo(invited.email)]).toEqual([]);
  });
});
