import type { MailContent } from '../mail-content.ts';
import type { DisputeTexts, MailFormat, MailWords } from './mail-words.ts';

const causes: Record<string, string> = {
  CAP_EXCEEDED: 'At the current price, the renewal exceeds the spending limit that you agreed to for each period.',
  INSUFFICIENT_ALLOWANCE: 'The token approval of your wallet is too low for this amount.',
  INSUFFICIENT_BALANCE: 'The balance of your wallet is too low for this amount.',
  CONSENT_REVOKED: 'You revoked the recurring payment.',
  CONSENT_MISSING: 'There is no valid agreement for this recurring payment.',
  PERMIT_EXPIRED: 'Your signature for the recurring payment has expired.',
  WALLET_REMOVED: 'The wallet that pays for this subscription was removed from your account.',
};

/** The same causes, to the merchant. */
const memberCauses: Record<string, string> = {
  CAP_EXCEEDED: 'The amount exceeds the spending limit that the customer signed.',
  INSUFFICIENT_ALLOWANCE: 'The token approval of the customer’s wallet is too low.',
  INSUFFICIENT_BALANCE: 'The balance of the customer’s wallet is too low.',
  CONSENT_REVOKED: 'The customer revoked the authorization.',
  CONSENT_MISSING: 'There is no payment authorization.',
  PERMIT_EXPIRED: 'The customer’s signature has expired.',
  WALLET_REMOVED: 'The wallet was removed.',
};

const outcomes: Record<string, string> = {
  RESOLVED_MERCHANT: 'The dispute was decided in favor of the merchant. The payment is not refunded.',
  RESOLVED_PAYER: 'The dispute was decided in favor of the customer. The amount held in escrow is refunded.',
};

function outcomeOf({ dispute }: MailContent, format: MailFormat): string {
  const share = dispute?.payerPercent ? format.percent(dispute.payerPercent) : '?';
  return (
    outcomes[dispute?.status ?? ''] ??
    `The amount held in escrow is split: ${share} is refunded to the customer, and the rest is paid out to the merchant.`
  );
}

const undecided =
  'Without a decision by then, anyone can end the dispute, and the amount is split according to the payment terms.';

const toPayer: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `Your dispute with ${appName} was opened`,
    title: 'Your dispute was opened',
    paragraphs: [
      'Your payment stays in escrow until the dispute is resolved. We will email you the outcome.',
      `You can submit evidence until ${format.time(dispute?.deadline ?? '')}.`,
    ],
    action: 'View dispute',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `New evidence in your dispute with ${appName}`,
    title: `${appName} submitted evidence`,
    paragraphs: ['You can read it, and submit evidence of your own, until the dispute is resolved.'],
    action: 'View dispute',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `The deadline of your dispute with ${appName} is approaching`,
    title: 'The deadline of your dispute is approaching',
    paragraphs: [`The deadline is ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
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
    subject: `A customer disputed a payment to ${appName}`,
    title: 'A customer opened a dispute',
    paragraphs: [
      'The payment stays in escrow until the dispute is resolved. You can accept the dispute and refund the customer at any time.',
      `Submit your evidence by ${format.time(dispute?.deadline ?? '')}.`,
    ],
    action: 'View dispute',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `New evidence in a dispute with ${appName}`,
    title: 'The customer submitted evidence',
    paragraphs: ['You can read it, and submit evidence of your own, until the dispute is resolved.'],
    action: 'View dispute',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `The deadline of a dispute with ${appName} is approaching`,
    title: 'The deadline of a dispute is approaching',
    paragraphs: [`The deadline is ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
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
  MEMBER_DISPUTE: ['dispute update', 'dispute updates'],
  MEMBER_RENEWAL_FAILED: ['failed renewal', 'failed renewals'],
  MEMBER_WEBHOOK_DISABLED: ['disabled webhook endpoint', 'disabled webhook endpoints'],
  MEMBER_LOW_BALANCE: ['wallet low on funds', 'wallets low on funds'],
};

export const english: MailWords = {
  labels: {
    amount: 'Amount',
    paid: 'Paid with',
    refunded: 'Refunded',
    network: 'Network',
    transaction: 'Transaction',
    date: 'Date',
    reference: 'Reference',
    invoice: 'Invoice',
    reason: 'Reason',
    plan: 'Plan',
    due: 'Renewal date',
    nextAttempt: 'Next attempt',
    deadline: 'Deadline',
    payment: 'Payment',
    endpoint: 'Endpoint',
    key: 'Wallet',
    balance: 'Balance',
  },
  greeting: (name) => (name === null ? 'Hello,' : `Hello ${name},`),
  text: {
    RECEIPT: ({ appName, money, invoiceId }, { money: print }) => ({
      subject: `Your receipt from ${appName}`,
      title: `You paid ${money ? print(money) : ''}`,
      paragraphs: [`Thank you for your payment to ${appName}.`],
      ...(invoiceId ? { action: 'View invoice' } : {}),
    }),
    REFUND: ({ appName, token }, format) => ({
      subject: `Your refund from ${appName}`,
      title: token ? `Your refund of ${format.token(token)}` : 'Your refund',
      paragraphs: [`${appName} sent the refund to the wallet that you paid with.`],
    }),
    RENEWAL_REMINDER: ({ appName, plan, at, money, isMetered }, format) => ({
      subject: `Your ${plan} subscription renews soon`,
      title: `Your ${plan} subscription renews on ${at ? format.date(at) : ''}`,
      paragraphs: [
        `Your subscription with ${appName} renews automatically. ${money ? `${format.money(money)} will be charged to your wallet.` : ''}`,
        ...(isMetered && money
          ? ['This includes your usage to date. Further usage until the renewal will be added.']
          : []),
        'Please make sure that the balance of your wallet is sufficient by then. You can view and revoke your recurring payments at any time.',
      ],
      action: 'Manage subscription',
    }),
    RENEWAL_FAILED: ({ appName, plan, cause, isPastDue }) => ({
      subject: isPastDue ? `Your ${plan} subscription is past due` : `We could not renew your ${plan} subscription`,
      title: isPastDue ? 'Your subscription is past due' : 'Your renewal payment failed',
      paragraphs: [
        `We could not charge your wallet for the renewal of your ${plan} subscription with ${appName}.`,
        causes[cause ?? ''] ?? 'The network rejected the charge.',
        'You can fix the problem, switch to another wallet, or pay only the open invoice. Your subscription continues as soon as your payment is received.',
      ],
      action: 'Update payment method',
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
      subject: isPastDue ? `A ${plan} subscription is past due` : `A ${plan} renewal payment failed`,
      title: isPastDue ? 'A subscription is past due' : 'A renewal payment failed',
      paragraphs: [
        `${appName} could not charge the renewal of a ${plan} subscription.`,
        `${memberCauses[cause ?? ''] ?? 'The network rejected the charge.'} Error code: ${cause ?? 'CHARGE_FAILED'}.`,
      ],
      action: 'View subscription',
    }),
    MEMBER_WEBHOOK_DISABLED: ({ appName }) => ({
      subject: `A webhook endpoint of ${appName} was disabled`,
      title: 'A webhook endpoint was disabled',
      paragraphs: [
        'The endpoint responded with 410 Gone, so events are no longer delivered to it. You can enable it and redeliver the events at any time.',
      ],
      action: 'View webhook endpoints',
    }),
    MEMBER_LOW_BALANCE: ({ chain }) => ({
      subject: `Low balance for network fees on ${chain}`,
      title: 'A wallet of your installation is low on funds for network fees',
      paragraphs: ['Captures, refunds and renewals on this network stop when the balance runs out. Please add funds.'],
    }),
    MEMBER_SUMMARY: ({ counts = {} }) => {
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const more = total === 1 ? '1 more notification' : `${total} more notifications`;
      return {
        subject: `${more} in the last hour`,
        title: more,
        paragraphs: [
          'There were too many notifications to send each of them separately:',
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
      ? `You receive this email from ${from} because you turned it on in Settings under Notifications.`
      : `You receive this email because of a payment to ${from}.`,
};
