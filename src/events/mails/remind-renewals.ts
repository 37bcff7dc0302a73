import { type Database, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { upcomingCharges } from '../../subscriptions/forecast/upcoming-charges.ts';
import { type RenewableSubscription, renewalIncludes } from '../../subscriptions/renewal/renewal-world.ts';
import { pricedUsage } from '../../subscriptions/usage/usage-line.ts';
import { enqueueMails, type NewMail } from './enqueue-mails.ts';
import { mailLanguageOf } from './mail-kind.ts';

const BATCH = 200;
const MAX_BATCHES = 50;

/** Queues the reminders that are due, in batches. Another worker may do the same at the same time. */
export async function remindDueRenewals(world: { database: Database; clock: Clock }): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) if ((await remindRenewals(world)) < BATCH) return;
}

/**
 * Queues reminders of upcoming renewals, as many days in advance as each app has set: at most 200 per call. Returns the number of
 * subscriptions examined. A payer is reminded once of each renewal. Renewals whose reminder would have been due before reminders were
 * switched on are left out, so that switching them on does not send many mails at once.
 */
export async function remindRenewals({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const now = clock.now();
  const due = await database.$queryRaw<{ id: string }[]>`
    SELECT subscription.id FROM mail_settings settings
    JOIN subscription ON subscription.app_id = settings.app_id
    JOIN customer_account customer ON customer.id = subscription.customer_account_id AND customer.email <> ''
    WHERE 'RENEWAL_REMINDER' = ANY(settings.kinds) AND subscription.status = 'ACTIVE'
      AND subscription.current_period_end > ${now}
      AND subscription.current_period_end <= ${now}::timestamptz + settings.reminder_days * interval '1 day'
      AND subscription.current_period_end >= settings.reminders_since + settings.reminder_days * interval '1 day'
      AND (subscription.cancel_at IS NULL OR subscription.cancel_at > subscription.current_period_end)
      AND subscription.current_period_end - subscription.current_period_start > settings.reminder_days * interval '1 day'
      AND NOT EXISTS (SELECT FROM mail_opt_out opted
        WHERE opted.app_id = settings.app_id AND opted.email = lower(customer.email))
      AND NOT EXISTS (SELECT FROM mail WHERE mail.kind = 'RENEWAL_REMINDER' AND mail.recipient = customer.email
        AND mail.source = 'renewal:' || subscription.id || ':' || floor(extract(epoch FROM subscription.current_period_end)))
    ORDER BY subscription.current_period_end LIMIT ${BATCH}`;
  if (due.length === 0) return 0;
  const subscriptions = await database.subscription.findMany({
    where: { id: { in: due.map(({ id }) => id) } },
    include: {
      ...renewalIncludes,
      app: { include: { mailSettings: true } },
      customerAccount: true,
      adjustments: { where: { invoiceId: null }, orderBy: { id: 'asc' } },
      usagePeriods: { where: { closedAt: null }, include: pricedUsage },
    },
  });
  const mails = subscriptions.flatMap((subscription): NewMail[] => {
    const { customerAccount: customer, adjustments, usagePeriods: usage, currentPeriodEnd, app } = subscription;
    if (!customer.email || currentPeriodEnd === null) return [];
    const [charge] = upcomingCharges({
      subscription: subscription satisfies Pick<RenewableSubscription, 'status'>,
      adjustments,
      usage,
      openInvoice: null,
      now,
      limit: 1,
    });
    return [
      {
        appId: subscription.appId,
        memberId: null,
        source: `renewal:${subscription.id}:${Math.floor(currentPeriodEnd.getTime() / 1000)}`,
        kind: 'RENEWAL_REMINDER',
        recipient: customer.email,
        language: mailLanguageOf(customer.locale) ?? mailLanguageOf(app.mailSettings?.language) ?? 'en',
        resourceId: subscription.id,
        content: {
          appName: app.name,
          customerName: customer.name,
          customerId: customer.id,
          plan: (subscription.nextPlanPrice?.productPlan ?? subscription.productPlan).name,
          at: currentPeriodEnd.toISOString(),
          isMetered: subscription.productPlanPrice.metering !== null,
          ...(charge ? { money: { amount: charge.total, currency: charge.currency } } : {}),
          subscriptionId: subscription.id,
        },
      },
    ];
  });
  await transaction(database, (tx) => enqueueMails(tx, { mails, now }));
  return due.length;
}
