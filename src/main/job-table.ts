/** Job to verb: everything that a worker does in the background. */
import { mailInvitationJob } from '../auth/members/jobs.ts';
import { mailInvitation } from '../auth/members/mail-invitation.ts';
import { mailPasswordJob } from '../auth/one-time-password/jobs.ts';
import { mailOneTimePassword } from '../auth/one-time-password/mail-one-time-password.ts';
import type { SecretKeys } from '../auth/tokens/secret-keys.ts';
import { completeCheckoutSessions } from '../checkout/end/complete-checkout-session.ts';
import { endOverdueSession } from '../checkout/end/end-overdue-session.ts';
import { reopenCheckoutSessions } from '../checkout/end/reopen-checkout-session.ts';
import { expireCheckoutSessionJob } from '../checkout/jobs.ts';
import type { Config } from '../config/config.ts';
import { refreshWalletJob } from '../customers/jobs.ts';
import { refreshWallet } from '../customers/refresh-wallet.ts';
import type { EventType } from '../events/event-type.ts';
import { sendMailsJob, summarizeMailsJob } from '../events/mails/jobs.ts';
import { mailedEvents, queueMails } from '../events/mails/queue-mails.ts';
import { openMailSender } from '../events/mails/send-due-mails.ts';
import { summarizeMails } from '../events/mails/summarize-mails.ts';
import { type Reaction, type Reactions, react } from '../events/react.ts';
import { reactJob, reactToEventJob } from '../events/react-job.ts';
import { queueDeliveries } from '../events/webhooks/queue-deliveries.ts';
import { followInvoicePayments } from '../invoices/follow-invoice-payment.ts';
import { mailInvoiceJob, overdueInvoiceJob } from '../invoices/jobs.ts';
import { mailInvoice } from '../invoices/mail-invoice.ts';
import { markInvoiceOverdue } from '../invoices/mark-invoice-overdue.ts';
import { sendTransactionsJob } from '../operator/jobs.ts';
import type { ChainActionWorld } from '../payments/actions/action-world.ts';
import { expirePaymentIntent } from '../payments/actions/expire-payment-intent.ts';
import { reclaimPayment } from '../payments/actions/reclaim-payment.ts';
import { resolveDisputeByTimeout } from '../payments/actions/resolve-dispute-by-timeout.ts';
import { returnPayment } from '../payments/actions/return-payment.ts';
import { settleDue } from '../payments/actions/settle-payments.ts';
import { actOnDeposit } from '../payments/deposits/act-on-deposit.ts';
import { warnOfDeadlineJob } from '../payments/disputes/jobs.ts';
import { warnOfDeadline } from '../payments/disputes/warn-of-deadline.ts';
import {
  actOnDepositJob,
  deliverPayoutsJob,
  expireJob,
  reclaimJob,
  resolveByTimeoutJob,
  returnPaymentJob,
  settleJob,
} from '../payments/jobs.ts';
import { deliverPayouts } from '../payments/payouts/deliver-payouts.ts';
import { systemClock } from '../platform/clock.ts';
import type { Mailer } from '../platform/mail/mail.ts';
import { type JobTable, jobEntry } from '../platform/queue.ts';
import { followFirstCharges } from '../subscriptions/activation/follow-first-charge.ts';
import { refreshAllowances } from '../subscriptions/consent/follow-allowances.ts';
import { forecastNextRenewal } from '../subscriptions/forecast/forecast-next-renewal.ts';
import { forecastRenewalJob, renewSubscriptionJob } from '../subscriptions/jobs.ts';
import { followRenewalPayments } from '../subscriptions/renewal/follow-renewal-payments.ts';
import { renewDue } from '../subscriptions/renewal/renew-due.ts';
import type { RenewalWorld } from '../subscriptions/renewal/renewal-world.ts';

export type WorkWorld = ChainActionWorld &
  RenewalWorld & {
    config: Pick<Config, 'publicUrl' | 'rpc'>;
    mailer: Mailer;
    secretKeys: SecretKeys;
  };

/** Handlers that the queue's worker runs, by job name. */
export function jobTable(
  world: WorkWorld,
  sending: { wake(sender: { chainId: number; sender: string }): Promise<void> },
): JobTable {
  const reactions = reactionTable(world);
  const mails = openMailSender(world);
  return new Map([
    jobEntry(sendTransactionsJob, (sender) => sending.wake(sender)),
    jobEntry(reactJob, async ({ appId, first, last }) => {
      const range = { appId, first: BigInt(first), last: BigInt(last) };
      await queueDeliveries(world, range);
      await react({ database: world.database, reactions }, range);
    }),
    jobEntry(reactToEventJob, ({ appId, sequence }) =>
      react({ database: world.database, reactions }, { appId, first: BigInt(sequence), last: BigInt(sequence) }),
    ),
    jobEntry(refreshWalletJob, async (payload) => {
      await refreshWallet(world, payload);
      await refreshAllowances(world, payload);
    }),
    jobEntry(settleJob, (payload) => settleDue(world, payload)),
    jobEntry(expireJob, (payload) => expirePaymentIntent(world, payload)),
    jobEntry(reclaimJob, (payload) => reclaimPayment(world, payload)),
    jobEntry(resolveByTimeoutJob, (payload) => resolveDisputeByTimeout(world, payload)),
    jobEntry(warnOfDeadlineJob, (payload) => warnOfDeadline(world, payload)),
    jobEntry(returnPaymentJob, (payload) => returnPayment(world, payload)),
    jobEntry(actOnDepositJob, (payload) => actOnDeposit(world, payload)),
    jobEntry(deliverPayoutsJob, (payload) => deliverPayouts(world, payload)),
    jobEntry(mailPasswordJob, (payload) => mailOneTimePassword({ ...world, clock: systemClock }, payload)),
    jobEntry(mailInvitationJob, (payload) => mailInvitation(world, payload)),
    jobEntry(sendMailsJob, () => mails.turn()),
    jobEntry(summarizeMailsJob, (payload) => summarizeMails(world, payload)),
    jobEntry(mailInvoiceJob, (payload) => mailInvoice(world, payload)),
    jobEntry(overdueInvoiceJob, (payload) => markInvoiceOverdue(world, payload)),
    jobEntry(expireCheckoutSessionJob, (payload) => endOverdueSession(world, payload)),
    jobEntry(renewSubscriptionJob, (payload) => renewDue(world, payload)),
    jobEntry(forecastRenewalJob, (payload) => forecastNextRenewal(world, payload)),
  ]);
}

/** Event type to the reactions of other modules. Each reaction is idempotent per event. */
export function reactionTable(world: WorkWorld): Reactions {
  const payments = (verb: PaymentsVerb): Reaction => {
    return (events) => verb(world, { paymentIntentIds: [...new Set(events.map((event) => event.resourceId))] });
  };
  const table = new Map<EventType, Reaction[]>([
    ['payment_intent.authorized', [payments(completeCheckoutSessions)]],
    [
      'payment_intent.captured',
      [payments(followRenewalPayments), payments(followInvoicePayments), payments(followFirstCharges)],
    ],
    ['payment_intent.settled', [payments(followRenewalPayments), payments(followInvoicePayments)]],
    [
      'payment_intent.reverted',
      [
        payments(reopenCheckoutSessions),
        payments(followRenewalPayments),
        payments(followInvoicePayments),
        payments(followFirstCharges),
      ],
    ],
  ]);
  const mail: Reaction = (events) => queueMails(world, events);
  for (const type of mailedEvents) table.set(type, [...(table.get(type) ?? []), mail]);
  return table;
}

type PaymentsVerb = (world: WorkWorld, request: { paymentIntentIds: readonly string[] }) => Promise<unknown>;
