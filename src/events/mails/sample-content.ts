import type { MailContent } from './mail-content.ts';
import type { MailKind } from './mail-kind.ts';

/** An example of each kind of mail, for previews. */
export function sampleContent(kind: MailKind, { appName, now }: { appName: string; now: Date }): MailContent {
  const at = now.toISOString();
  const later = new Date(now.getTime() + 3_600_000).toISOString();
  const isForInstallation = kind === 'MEMBER_LOW_BALANCE' || kind === 'MEMBER_SUMMARY';
  const payment: MailContent = {
    appName: isForInstallation ? null : appName,
    customerName: 'Ada Lovelace',
    money: { amount: '12.50', currency: 'EUR' },
    token: '13.6 USDC',
    chain: 'Base',
    transaction: { hash: `0x${'ab'.repeat(32)}`, url: null },
    at,
    reference: 'order-1042',
    paymentIntentId: SAMPLE_ID,
    invoiceId: SAMPLE_ID,
    invoiceNumber: 'INV-000042',
  };
  const renewal: MailContent = {
    appName,
    customerName: 'Ada Lovelace',
    plan: 'Gold',
    money: { amount: '12.50', currency: 'EUR' },
    at,
    invoiceId: SAMPLE_ID,
    subscriptionId: SAMPLE_ID,
  };
  switch (kind) {
    case 'RECEIPT':
    case 'MEMBER_PAYMENT':
      return { ...payment, lines: [{ text: '1 × Gold', money: { amount: '12.50', currency: 'EUR' } }] };
    case 'REFUND':
      return { ...payment, reason: 'Returned goods' };
    case 'DISPUTE':
    case 'MEMBER_DISPUTE':
      return {
        ...payment,
        dispute: { id: SAMPLE_ID, step: 'OPENED', status: 'OPEN', deadline: later, payerPercent: null },
        reason: 'The goods have not arrived.',
      };
    case 'RENEWAL_REMINDER':
      return renewal;
    case 'RENEWAL_FAILED':
    case 'MEMBER_RENEWAL_FAILED':
      return { ...renewal, cause: 'INSUFFICIENT_BALANCE', nextAttemptAt: later, linkExpiresAt: later };
    case 'MEMBER_WEBHOOK_DISABLED':
      return { appName, endpointUrl: 'https://example.com/hooks' };
    case 'MEMBER_LOW_BALANCE':
      return { appName: null, chain: 'Base', sender: `0x${'ab'.repeat(20)}`, balance: '0.004 ETH' };
    case 'MEMBER_SUMMARY':
      return { appName: null, counts: { MEMBER_PAYMENT: 120, MEMBER_RENEWAL_FAILED: 1 } };
    default:
      return kind satisfies never;
  }
}

const SAMPLE_ID = '00000000-0000-7000-8000-000000000000';
