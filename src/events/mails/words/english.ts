import type { MailContent } from '../mail-content.ts';
import type { DisputeTexts, MailFormat, MailWords } from './mail-words.ts';

const causes: Record<string, string> = {
  CAP_EXCEEDED: 'At the current price, the renewal costs more than the limit that you agreed to for one period.',
  INSUFFICIENT_ALLOWANCE: 'Your wallet does not allow a payment of this amount any more.',
  INSUFFICIENT_BALANCE: 'Your wallet does not hold enough to pay this amount.',
  CONSENT_REVOKED: 'You have revoked the recurring payment.',
  CONSENT_MISSING: 'There is no agreement for a recurring payment.',
  PERMIT_EXPIRED: 'The permission that you signed for the recurring payment has expired.',
  WALLET_REMOVED: 'The wallet that pays this subscription was removed from your account.',
};

const outcomes: Record<string, string> = {
  RESOLVED_MERCHANT: 'The dispute was decided in favor of the merchant. The payment stands.',
  RESOLVED_PAYER: 'The dispute was decided in favor of the payer. What was left in escrow is returned.',
};

function outcomeOf({ dispute }: MailContent, format: MailFormat): string {
  const share = dispute?.payerPercent ? format.percent(dispute.payerPercent) : '?';
  return (
    outcomes[dispute?.status ?? ''] ??
    `What was left in escrow is divided: ${share} go to the payer and the rest to the merchant.`
  );
}

const undecided = 'If it is not decided by then, anyone can have the payment divided as its terms say.';

const toPayer: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `Your dispute with ${appName} was opened`,
    title: 'Your dispute was opened',
    paragraphs: [
      'The money stays in escrow until the dispute is resolved. You will receive an email about the outcome.',
      `You can submit evidence until then. The deadline is ${format.time(dispute?.deadline ?? '')}.`,
    ],
    action: 'View dispute',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `New evidence in your dispute with ${appName}`,
    title: `${appName} has submitted evidence`,
    paragraphs: ['You can read it, and submit evidence of your own, until the dispute is resolved.'],
    action: 'View dispute',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `The deadline of your dispute with ${appName} is approaching`,
    title: 'The deadline of your dispute is approaching',
    paragraphs: [`Your dispute ends on ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
    action: 'View dispute',
  }),
  RESOLVED: (content, format) => ({
    subject: `Your dispute with ${content.appName} was resolved`,
    title: 'Your dispute was resolved',
    paragraphs: [outcomeOf(content, format)],
    action: 'View dispute',
  }),
};

const toMember: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `A payer disputes a payment to ${appName}`,
    title: 'A payer has opened a dispute',
    paragraphs: [
      'The money stays in escrow until the dispute is resolved. You can return it to the payer at any time.',
      `Please submit your evidence by ${format.time(dispute?.deadline ?? '')}.`,
    ],
    action: 'View dispute',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `New evidence in a dispute with ${appName}`,
    title: 'The payer has submitted evidence',
    paragraphs: ['You can read it, and submit evidence of your own, until the dispute is resolved.'],
    action: 'View dispute',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `The deadline of a dispute with ${appName} is approaching`,
    title: 'The deadline of a dispute is approaching',
    paragraphs: [`The dispute ends on ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
    action: 'View dispute',
  }),
  RESOLVED: (content, format) => ({
    subject: `A dispute with ${content.appName} was resolved`,
    title: 'A dispute was resolved',
    paragraphs: [outcomeOf(content, format)],
    action: 'View dispute',
  }),
};

const notices: Record<string, [one: string, many: string]> = {
  MEMBER_PAYMENT: ['payment received', 'payments received'],
  MEMBER_DISPUTE: ['change of a dispute', 'changes of disputes'],
  MEMBER_RENEWAL_FAILED: ['failed renewal', 'failed renewals'],
  MEMBER_WEBHOOK_DISABLED: ['disabled webhook', 'disabled webhooks'],
  MEMBER_LOW_BALANCE: ['low balance', 'low balances'],
};

export const english: MailWords = {
  labels: {
    amount: 'Amount',
    paid: 'Paid with',
    refunded: 'Returned',
    network: 'Network',
    transaction: 'Transaction',
    date: 'Date',
    reference: 'Reference',
    invoice: 'Invoice',
    reason: 'Reason',
    plan: 'Plan',
    due: 'Due',
    nextAttempt: 'Next attempt',
    deadline: 'Deadline',
    payment: 'Payment',
    endpoint: 'Endpoint',
    key: 'Key',
    balance: 'Balance',
  },
  greeting: (name) => (name === null ? 'Hello,' : `Hello ${name},`),
  text: {
    RECEIPT: ({ appName, money, invoiceId }, { money: print }) => ({
      subject: `Your receipt from ${appName}`,
      title: `You paid ${money ? print(money) : ''}`,
      paragraphs: [`Thank you. ${appName} has received your payment.`],
      ...(invoiceId ? { action: 'View invoice' } : {}),
    }),
    REFUND: ({ appName, token }) => ({
      subject: `Your refund from ${appName}`,
      title: `${token ?? 'Your payment'} was returned to you`,
      paragraphs: [`${appName} has refunded your payment to the wallet that you paid with.`],
    }),
    RENEWAL_REMINDER: ({ appName, plan, at, money, isMetered }, format) => ({
      subject: `Your subscription to ${plan} renews soon`,
      title: `${plan} renews on ${at ? format.date(at) : ''}`,
      paragraphs: [
        `Your subscription with ${appName} renews automatically. ${money ? `${format.money(money)} will be charged to your wallet.` : ''}`,
        ...(isMetered && money ? ['This includes your usage so far. Usage until then will be added.'] : []),
        'Please make sure that your wallet holds enough by then. You can review and revoke recurring payments with your wallet at any time.',
      ],
      action: 'Manage recurring payments',
    }),
    RENEWAL_FAILED: ({ appName, plan, cause, isPastDue }) => ({
      subject: isPastDue
        ? `Your subscription to ${plan} is past due`
        : `We could not renew your subscription to ${plan}`,
      title: isPastDue ? 'Your subscription is past due' : 'Your renewal could not be paid',
      paragraphs: [
        `The renewal of your subscription to ${plan} with ${appName} could not be charged.`,
        causes[cause ?? ''] ?? 'The network rejected the charge.',
        'You can repair it, pay from another wallet from now on, or pay only the open invoice. Your subscription continues as soon as the payment has arrived.',
      ],
      action: 'Update payment',
    }),
    DISPUTE: (content, format) => toPayer[content.dispute?.step ?? 'OPENED'](content, format),
    MEMBER_PAYMENT: ({ appName, money }, format) => ({
      subject: `Payment received: ${money ? format.money(money) : ''}`,
      title: `${appName} received ${money ? format.money(money) : 'a payment'}`,
      paragraphs: [],
      action: 'View payment',
    }),
    MEMBER_DISPUTE: (content, format) => toMember[content.dispute?.step ?? 'OPENED'](content, format),
    MEMBER_RENEWAL_FAILED: ({ plan, appName, isPastDue, cause }) => ({
      subject: isPastDue ? `A subscription to ${plan} is past due` : `A renewal of ${plan} failed`,
      title: isPastDue ? 'A subscription is past due' : 'A renewal could not be charged',
      paragraphs: [`${appName} could not charge a renewal of ${plan}. Error code: ${cause ?? 'CHARGE_FAILED'}.`],
      action: 'View subscription',
    }),
    MEMBER_WEBHOOK_DISABLED: ({ appName }) => ({
      subject: `A webhook endpoint of ${appName} was disabled`,
      title: 'A webhook endpoint was disabled',
      paragraphs: [
        'Its server asked for no more deliveries (410 Gone). Events are kept and can be delivered again after you enable it.',
      ],
      action: 'View webhooks',
    }),
    MEMBER_LOW_BALANCE: ({ chain }) => ({
      subject: `Low balance for gas on ${chain}`,
      title: 'A sending key has little left for gas',
      paragraphs: [
        'Captures, refunds and renewals on this network stop when the balance is used up. Please top it up.',
      ],
    }),
    MEMBER_SUMMARY: ({ counts = {} }) => {
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return {
        subject: `${total} more notifications in the last hour`,
        title: `${total} more notifications`,
        paragraphs: [
          'There were too many to send one email for each:',
          ...Object.entries(counts).map(([kind, count]) => `${count} ${notices[kind]?.[count === 1 ? 0 : 1] ?? kind}`),
        ],
        action: 'Open dashboard',
      };
    },
  },
  seeInvoice: 'View invoice',
  unsubscribe: 'Unsubscribe',
  footer: (from, isToMember) =>
    isToMember
      ? `${from} sends you this email because you switched it on under Settings, Notifications.`
      : `You receive this email because of a payment to ${from}.`,
};
