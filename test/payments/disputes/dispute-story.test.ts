/** A dispute with two sides on a real chain: evidence, mails at each step, and a split whose shares are exact. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import type { MailLanguage } from '../../../src/events/mails/mail-kind.ts';
import { queueMails } from '../../../src/events/mails/queue-mails.ts';
import { updateMailSettings } from '../../../src/events/mails/update-mail-settings.ts';
import { updateNotifications } from '../../../src/events/mails/update-notifications.ts';
import { openDispute } from '../../../src/payments/actions/open-dispute.ts';
import { resolveDispute } from '../../../src/payments/actions/resolve-dispute.ts';
import { attachFile } from '../../../src/payments/disputes/attach-file.ts';
import type { Submitter } from '../../../src/payments/disputes/evidence.ts';
import { splitOf } from '../../../src/payments/disputes/split.ts';
import { submitEvidence } from '../../../src/payments/disputes/submit-evidence.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { openMailbox } from '../../setup/mail/mailbox.ts';
import { readMail } from '../../setup/mail/read-mail.ts';
import type { Mailbox } from '../../setup/mail/start-mailbox.ts';

const MEMBER = 'owner@shop.example';
const GERMAN_MEMBER = 'inhaberin@shop.example';
const PAYER = 'ada@payer.example';
const AMOUNT = 9_999_999n;

let gateway: Gateway;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
  gateway = await openGateway({ smtpUrl: mailbox.url });
  await member(MEMBER, 'en');
  await member(GERMAN_MEMBER, 'de');
  await member('gone@shop.example', 'en', { removedAt: new Date() });
  await member('invited@shop.example', 'en', { joinedAt: null });
});

beforeEach(async () => {
  await switchMails('on');
  await gateway.database.mail.deleteMany();
  mailbox.mails.length = 0;
});

async function member(email: string, language: MailLanguage, fields: object = {}) {
  const { merchantId } = gateway.scope;
  const { id: memberId } = await gateway.database.member.create({
    data: { id: newId(), merchantId, email, role: 'OWNER', joinedAt: new Date(), ...fields },
  });
  await updateNotifications(gateway, { memberId, settings: { language } });
}

/** Of the app's payers and of every member. */
async function switchMails(to: 'on' | 'off') {
  const kinds = to === 'on' ? (['DISPUTE'] as const) : [];
  const scope = { merchantId: gateway.scope.merchantId, appId: gateway.app.id };
  await updateMailSettings(gateway, { scope, settings: { kinds: [...kinds] } });
  for (const { id } of await gateway.database.member.findMany({ where: { merchantId: scope.merchantId } })) {
    await updateNotifications(gateway, { memberId: id, settings: { kinds: [...kinds] } });
  }
}

const merchant = (): Submitter => ({ party: 'MERCHANT', name: MEMBER, scope: gateway.scope });
const payer = (): Submitter => ({ party: 'PAYER', name: null, scope: gateway.scope });

/** The mails since the last call, by recipient. */
function newMails() {
  const mails = mailbox.mails.splice(0).map(({ to, text }) => ({ to: to.join(), ...readMail(text) }));
  return mails.sort((left, right) => left.to.localeCompare(right.to));
}

const subjectsOf = (mails: ReturnType<typeof newMails>) => mails.map(({ to, subject }) => `${to}: ${subject}`);

async function disputed(locale: MailLanguage = 'en') {
  const { id, signed } = await gateway.pay({ amount: AMOUNT });
  const customer = await gateway.database.customerAccount.create({
    data: { id: newId(), appId: gateway.app.id, email: PAYER, locale },
  });
  await gateway.database.paymentIntent.update({ where: { id }, data: { customerAccountId: customer.id } });
  const { chainId, escrow, payers } = gateway.evm;
  const signature = await gateway.evm
    .walletFor(payers[0].privateKey)
    .signTypedData(disputeTypedData({ chainId, escrow, id: signed.id }));
  await openDispute(gateway.action, { scope: gateway.scope, id, reason: 'Never arrived', signature });
  await gateway.settleDown();
  const dispute = await gateway.database.dispute.findUniqueOrThrow({ where: { paymentIntentId: id } });
  return { id, signed, dispute };
}

const eventsOf = async (disputeId: string) =>
  (await gateway.database.event.findMany({ where: { resourceId: disputeId }, orderBy: { sequence: 'asc' } })).map(
    ({ type }) => type,
  );

describe('a dispute with two sides', () => {
  it.each(['en', 'de'] as const)('notifies both sides of each step, and is split exactly (%s)', async (locale) => {
    const inEnglish = locale === 'en';
    const { id, signed, dispute } = await disputed(locale);
    const opened = newMails();
    expect(subjectsOf(opened)).toEqual([
      `${PAYER}: ${inEnglish ? 'Your dispute with App was opened' : 'Ihr Streitfall mit App wurde eröffnet'}`,
      `${GERMAN_MEMBER}: Neuer Streitfall zu einer Zahlung an App`,
      `${MEMBER}: A customer disputed a payment to App`,
    ]);
    const until = (language: string) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(
        dispute.deadline,
      );
    for (const { to, text, html } of opened) {
      const isGerman = to === GERMAN_MEMBER || (to === PAYER && !inEnglish);
      for (const part of [text, html]) {
        expect(part).toContain(isGerman ? '10,00\u00a0$' : '$10.00');
        expect(part).toContain('Never arrived');
        expect(part).toContain(`${until(isGerman ? 'de-DE' : 'en-US')} UTC`);
        expect(part).toContain(`http://localhost:4000${to === PAYER ? '/pay' : `/dashboard/disputes/${dispute.id}`}`);
      }
    }

    await submitEvidence(gateway.action, {
      disputeId: dispute.id,
      by: merchant(),
      input: { text: 'It was signed for.' },
    });
    await gateway.settleDown();
    const answered = newMails();
    expect(subjectsOf(answered)).toEqual([
      `${PAYER}: ${inEnglish ? 'New evidence in your dispute with App' : 'Neuer Nachweis in Ihrem Streitfall mit App'}`,
    ]);
    expect(answered[0]?.text).not.toContain('It was signed for.');

    const pieces = [new Uint8Array(Buffer.from('%PDF-1.7'))];
    const file = { name: 'a.pdf', contentType: 'application/pdf', sizeBytes: 8, sha256: new Uint8Array(32), pieces };
    await attachFile(gateway.action, { disputeId: dispute.id, by: payer(), file });
    await gateway.settleDown();
    expect(subjectsOf(newMails())).toEqual([
      `${GERMAN_MEMBER}: Neuer Nachweis in einem Streitfall mit App`,
      `${MEMBER}: New evidence in a dispute with App`,
    ]);

    await gateway.passTime(4 * 86_400 + 60);
    await gateway.settleDown();
    const warned = newMails();
    expect(subjectsOf(warned)).toEqual([
      `${PAYER}: ${inEnglish ? 'The deadline of your dispute with App is approaching' : 'Die Frist Ihres Streitfalls mit App läuft bald ab'}`,
      `${GERMAN_MEMBER}: Die Frist eines Streitfalls mit App läuft bald ab`,
      `${MEMBER}: The deadline of a dispute with App is approaching`,
    ]);
    expect(warned.at(-1)?.text).toContain(`The deadline is ${until('en-US')} UTC.`);
    expect(warned[1]?.text).toContain(`Die Frist endet am ${until('de-DE')} UTC.`);

    const money = await gateway.gained(async () => {
      await resolveDispute(gateway.action, { disputeId: dispute.id, payerBps: 3333, by: { kind: 'arbiter' } });
      await gateway.settleDown();
    });
    // 33.33 % of 9,999,999 is 3,332,999.66…, rounded down; the fee is 1 % of the rest, rounded down.
    expect(money).toEqual({ payer: 3_332_999n, merchant: 6_600_330n, fee: 66_670n, escrow: -AMOUNT });
    const { payerAmount, merchantAmount, feeAmount } = splitOf(AMOUNT, { payerBps: 3333, feeBps: signed.terms.feeBps });
    expect({ payerAmount, merchantAmount, feeAmount }).toEqual({
      payerAmount: money.payer,
      merchantAmount: money.merchant,
      feeAmount: money.fee,
    });
    expect(await gateway.database.dispute.findUnique({ where: { id: dispute.id } })).toMatchObject({
      status: 'RESOLVED_SPLIT',
      payerBps: 3333,
    });
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    const resolved = newMails();
    expect(subjectsOf(resolved)).toEqual([
      `${PAYER}: ${inEnglish ? 'Your dispute with App was resolved' : 'Ihr Streitfall mit App wurde entschieden'}`,
      `${GERMAN_MEMBER}: Ein Streitfall mit App wurde entschieden`,
      `${MEMBER}: A dispute with App was resolved`,
    ]);
    expect(resolved.map(({ text }) => /33[.,]33\s?%/.exec(text)?.[0])).toEqual([
      inEnglish ? '33.33%' : '33,33\u00a0%',
      '33,33\u00a0%',
      '33.33%',
    ]);
    expect(await eventsOf(dispute.id)).toEqual([
      'dispute.opened',
      'dispute.evidence_submitted',
      'dispute.evidence_submitted',
      'dispute.deadline_approaching',
      'dispute.resolved',
    ]);
  });

  it('sends no mail twice when its event is handled twice', async () => {
    const { dispute } = await disputed();
    expect(newMails()).toHaveLength(3);
    const [event] = await gateway.database.event.findMany({ where: { resourceId: dispute.id } });
    if (!event) throw new Error('The dispute was opened without an event.');
    await Promise.all([queueMails(gateway.action, [event]), queueMails(gateway.action, [event])]);
    await gateway.settleDown();
    expect(newMails()).toEqual([]);
  });

  it('sends nothing at any step while mails are switched off', async () => {
    await switchMails('off');
    const { dispute } = await disputed();
    const input = { text: 'It was signed for.' };
    await submitEvidence(gateway.action, { disputeId: dispute.id, by: merchant(), input });
    await submitEvidence(gateway.action, { disputeId: dispute.id, by: payer(), input });
    await gateway.settleDown();
    await gateway.passTime(4 * 86_400 + 60);
    await gateway.settleDown();
    await resolveDispute(gateway.action, { disputeId: dispute.id, payerBps: 5000, by: { kind: 'arbiter' } });
    await gateway.settleDown();
    expect(await eventsOf(dispute.id)).toEqual([
      'dispute.opened',
      'dispute.evidence_submitted',
      'dispute.evidence_submitted',
      'dispute.deadline_approaching',
      'dispute.resolved',
    ]);
    expect(mailbox.mails).toEqual([]);
    expect(await gateway.database.mail.count()).toBe(0);
  });

  it('is warned of once, and not after it was resolved', async () => {
    const { dispute } = await disputed();
    await resolveDispute(gateway.action, { disputeId: dispute.id, payerBps: 0, by: { kind: 'arbiter' } });
    await gateway.settleDown();
    await gateway.passTime(5 * 86_400);
    await gateway.settleDown();
    expect(await eventsOf(dispute.id)).toEqual(['dispute.opened', 'dispute.resolved']);
    const late = submitEvidence(gateway.action, { disputeId: dispute.id, by: merchant(), input: { text: 'Late' } });
    await expect(late).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
