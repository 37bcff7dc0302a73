/** Mails to payers, from events of a real chain to a real mail server. */
import { beforeEach, describe, expect, it } from 'vitest';
import { queueMails } from '../../../src/events/mails/queue-mails.ts';
import { remindRenewals } from '../../../src/events/mails/remind-renewals.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { DAY, HOUR } from '../../subscriptions/renewal-ground.ts';
import { later, openMails } from './mail-ground.ts';

const { ground, mailbox, pagesUrl, forget, switchOn, mailsTo, here, customer, paid } = await openMails();
beforeEach(forget);

describe('a payer', () => {
  it('receives no mail from an app that has not enabled any', async () => {
    const { id } = await customer();
    await paid(id);
    expect(mailbox.mails).toEqual([]);
    expect(await ground.database.mail.count()).toBe(0);
  });

  it('receives one receipt in the merchant’s name and the customer’s language, with the transaction hash', async () => {
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

  it('receives a receipt for the captured amount if it is less than the authorized one', async () => {
    await switchOn({ kinds: ['RECEIPT'] });
    const { id, email } = await customer();
    const intent = await ground.intent({ customerAccountId: id, captureMode: 'MANUAL' });
    await ground.authorize(await ground.sign(intent, { captureOnAuthorize: false }));
    await ground.settleDown();
    expect(mailsTo(email)).toEqual([]);
    await capturePaymentIntent(ground.action, { scope: ground.scope, id: intent.id, amount: '4000000' });
    await ground.settleDown();
    const [mail] = mailsTo(email);
    expect(mail?.text).toContain('You paid $4.00');
    expect(mail?.text).toContain('4 USDC');
  });

  it('receives one mail for an event whose reaction runs repeatedly and concurrently', async () => {
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

  it('receives no mail without an address, and none of a disabled kind', async () => {
    await switchOn({ kinds: ['REFUND'] });
    const { id } = await customer();
    await paid(id);
    await paid(null);
    expect(await ground.database.mail.count()).toBe(0);
  });

  it('receives a mail for each refund with its amount, reason and transaction hash', async () => {
    await switchOn({ kinds: ['REFUND'] });
    const { id, email } = await customer();
    const intent = await paid(id);
    await refundPaymentIntent(ground.action, {
      scope: ground.scope,
      id: intent.id,
      reason: 'Broken <cup>',
      percent: 25,
    });
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

  it('is reminded once, some days before a renewal, and not after unsubscribing', async () => {
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
    expect(mail?.subject).toBe('Your Gold subscription renews soon');
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

  it('is not reminded of renewals that were already near when reminders were enabled', async () => {
    const { id } = await customer();
    const { id: subscriptionId } = await ground.subscribe({ trialSeconds: 10 * DAY });
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.goTo(later(ground.clock.now(), 8 * DAY));
    await switchOn({ kinds: ['RENEWAL_REMINDER'], reminderDays: 3 });
    expect(await remindRenewals(ground)).toBe(0);
  });

  it('pays a failed renewal through the link in the mail, which renews the subscription', async () => {
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
    expect(mail?.text).toContain('Die Token-Freigabe Ihrer Wallet reicht für diesen Betrag nicht aus.');
    const [link = ''] = /http:\/\/localhost:4000\/renewal\/\S+/.exec(mail?.text ?? '') ?? [];
    expect(mail?.html).toContain(link.replaceAll('&', '&amp;'));
    const shown = await (await fetch(here(link))).text();
    const [, action = ''] = /<form method="post" action="([^"]+\/pay\?[^"]+)"/.exec(shown) ?? [];
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

  it('is notified again when the subscription becomes past due', async () => {
    await switchOn({ kinds: ['RENEWAL_FAILED'] });
    const { id, email } = await customer();
    const { id: subscriptionId, trialEnd } = await ground.subscribe();
    await ground.database.subscription.update({ where: { id: subscriptionId }, data: { customerAccountId: id } });
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 6, 24, 72]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect(mailsTo(email).map(({ subject }) => subject)).toEqual([
      'We could not renew your Gold subscription',
      'Your Gold subscription is past due',
    ]);
  });
});
