/** A dispute with two sides on a real chain: evidence, mails at each step, and a split whose shares are exact. */
import { beforeAll, describe, expect, it } from 'vitest';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import { openDispute } from '../../../src/payments/actions/open-dispute.ts';
import { resolveDispute } from '../../../src/payments/actions/resolve-dispute.ts';
import { attachFile } from '../../../src/payments/disputes/attach-file.ts';
import { queueDisputeMails } from '../../../src/payments/disputes/dispute-mails.ts';
import type { Submitter } from '../../../src/payments/disputes/evidence.ts';
import { splitOf } from '../../../src/payments/disputes/split.ts';
import { submitEvidence } from '../../../src/payments/disputes/submit-evidence.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type Gateway, openGateway } from '../../setup/gateway.ts';
import { openMailbox } from '../../setup/mailbox.ts';
import type { Mailbox } from '../../setup/start-mailbox.ts';

const MEMBER = 'owner@shop.example';
const PAYER = 'ada@payer.example';
const AMOUNT = 9_999_999n;

let gateway: Gateway;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
  gateway = await openGateway({ smtpUrl: mailbox.url });
  const { merchantId } = gateway.scope;
  const member = (email: string, fields: object = {}) =>
    gateway.database.member.create({
      data: { id: newId(), merchantId, email, role: 'OWNER', joinedAt: new Date(), ...fields },
    });
  await member(MEMBER);
  await member('gone@shop.example', { removedAt: new Date() });
  await member('invited@shop.example', { joinedAt: null });
});

const merchant = (): Submitter => ({ party: 'MERCHANT', name: MEMBER, scope: gateway.scope });
const payer = (): Submitter => ({ party: 'PAYER', name: null, scope: gateway.scope });

/** The mails since the last call, as "recipient: subject". */
function newMails(): string[] {
  const mails = mailbox.mails.splice(0).map(({ to, text }) => `${to.join()}: ${subjectOf(text)}`);
  return mails.sort();
}

/** The English half of a subject. */
function subjectOf(text: string): string {
  const folded = /^Subject: ((?:.|\r\n[ \t])*)/m.exec(text)?.[1] ?? '';
  const subject = folded
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/\?= =\?UTF-8\?Q\?/gi, '')
    .replace(/^=\?UTF-8\?Q\?(.*)\?=$/i, (_all, word: string) =>
      decodeURIComponent(word.replaceAll('_', ' ').replaceAll('=', '%')),
    );
  return subject.split(' / ')[0] ?? '';
}

async function disputed() {
  const { id, signed } = await gateway.pay({ amount: AMOUNT });
  const customer = await gateway.database.customerAccount.create({
    data: { id: newId(), appId: gateway.app.id, email: PAYER },
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
  it('tells each side of each step by mail, and is split to the base unit', async () => {
    const { id, signed, dispute } = await disputed();
    expect(newMails()).toEqual([`${PAYER}: Payment disputed`, `${MEMBER}: Payment disputed`]);

    await submitEvidence(gateway.action, {
      disputeId: dispute.id,
      by: merchant(),
      input: { text: 'It was signed for.' },
    });
    await gateway.settleDown();
    expect(newMails()).toEqual([`${PAYER}: New evidence in a dispute`]);

    const pieces = [new Uint8Array(Buffer.from('%PDF-1.7'))];
    const file = { name: 'a.pdf', contentType: 'application/pdf', sizeBytes: 8, sha256: new Uint8Array(32), pieces };
    await attachFile(gateway.action, { disputeId: dispute.id, by: payer(), file });
    await gateway.settleDown();
    expect(newMails()).toEqual([`${MEMBER}: New evidence in a dispute`]);

    await gateway.passTime(4 * 86_400 + 60);
    await gateway.settleDown();
    expect(newMails()).toEqual([`${PAYER}: Dispute: deadline approaching`, `${MEMBER}: Dispute: deadline approaching`]);

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
    expect(await gateway.left(id, signed)).toBe(0n);
    const resolved = mailbox.mails.map(({ text }) => text.replace(/=\r\n/g, ''));
    expect(newMails()).toEqual([`${PAYER}: Dispute resolved`, `${MEMBER}: Dispute resolved`]);
    expect(resolved.every((text) => text.includes('33.33') && text.includes('33,33'))).toBe(true);
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
    newMails();
    const [event] = await gateway.database.event.findMany({ where: { resourceId: dispute.id } });
    if (!event) throw new Error('The dispute was opened without an event.');
    const told = { ...event, type: 'dispute.opened' };
    await Promise.all([queueDisputeMails(gateway.action, [told]), queueDisputeMails(gateway.action, [told])]);
    await gateway.settleDown();
    expect(newMails()).toEqual([]);
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
