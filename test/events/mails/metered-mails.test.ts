/** Mails to payers of metered subscriptions. */
import { beforeEach, describe, expect, it } from 'vitest';
import { meteringOf } from '../../../src/catalog/metering.ts';
import { remindRenewals } from '../../../src/events/mails/remind-renewals.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { cancelSubscription } from '../../../src/subscriptions/cancel-subscription.ts';
import { recordUsage } from '../../../src/subscriptions/usage/record-usage.ts';
import { DAY, HOUR } from '../../subscriptions/renewal-ground.ts';
import { later, openMails } from './mail-ground.ts';

const metering = meteringOf({ scheme: 'PER_UNIT', unitName: 'call', unitAmount: '0.01', capAmount: '50' });

const { ground, forget, switchOn, mailsTo, customer } = await openMails();
beforeEach(forget);

/** A subscription whose first base fee is paid, with 500 calls of usage since. */
async function begin(interval: 'DAY' | 'MONTH') {
  const { id: customerAccountId, email } = await customer();
  const { id, price, trialEnd } = await ground.subscribe({ interval, cap: 50_000_000n });
  await ground.database.subscription.update({ where: { id }, data: { customerAccountId } });
  await ground.database.productPlanPrice.update({ where: { id: price.id }, data: { metering } });
  await ground.goTo(later(trialEnd, HOUR));
  const events = [{ eventId: newId(), subscriptionId: id, quantity: '500' }];
  expect(await recordUsage(ground.action, { scope: ground.scope, events })).toMatchObject({ accepted: 1 });
  const { currentPeriodEnd } = await ground.subscriptionOf(id);
  if (currentPeriodEnd === null) throw new Error('It did not begin.');
  return { id, email, end: currentPeriodEnd };
}

describe('the payer of a metered subscription', () => {
  it('is reminded of the base fee with the usage so far, and that further usage is added', async () => {
    await switchOn({ kinds: ['RENEWAL_REMINDER'], reminderDays: 3 });
    const { email, end } = await begin('MONTH');
    await ground.goTo(later(end, -3 * DAY + 10));
    expect(await remindRenewals(ground)).toBe(1);
    await ground.settleDown();
    const [mail] = mailsTo(email);
    expect(mail?.text).toContain('$15.00 will be charged to your wallet.');
    expect(mail?.text).toContain('This includes your usage to date. Further usage until the renewal will be added.');
  });

  it('is notified of a failed renewal, and not again if the last usage cannot be charged', async () => {
    await switchOn({ kinds: ['RENEWAL_FAILED'] });
    const { id, email, end } = await begin('DAY');
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(later(end, HOUR));
    expect(mailsTo(email)).toHaveLength(1);
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: false });
    await ground.goTo(later(ground.clock.now(), 2 * HOUR));
    const final = await ground.database.invoice.findFirst({ where: { subscriptionId: id, usageReason: 'FINAL' } });
    expect(final).toMatchObject({ status: 'OPEN', lastErrorCode: expect.any(String) });
    const failures = await ground.database.event.count({
      where: { resourceId: id, type: 'subscription.payment_failed' },
    });
    expect([failures, mailsTo(email).length]).toEqual([2, 1]);
  });
});
