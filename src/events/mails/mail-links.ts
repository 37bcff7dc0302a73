/** The addresses in mails. Tokens are HMACs, so that nothing is stored; a change of TOKEN_SECRET invalidates the links of old mails. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import { invoiceUrl } from '../../invoices/page/invoice-link.ts';
import { renewalUrl } from '../../subscriptions/repair/renewal-link.ts';
import type { MailContent } from './mail-content.ts';
import { type MailKind, memberMailKindOf } from './mail-kind.ts';

type Keys = Pick<SecretKeys, 'invoices' | 'renewals' | 'unsubscribing'>;
type LinkWorld = { secretKeys: Keys; config: { publicUrl: string } };

/** The mails that a link unsubscribes from: a customer's reminders, or one kind of a member's mails. */
export type Subscriber = { who: 'customer' | 'member'; id: string; kind: string };

/** Where a mail's button leads; null if it has none. */
export function actionUrl(world: LinkWorld, kind: MailKind, content: MailContent): string | null {
  const page = (path: string) => `${world.config.publicUrl}${path}`;
  switch (kind) {
    case 'RENEWAL_FAILED': {
      const { invoiceId, linkExpiresAt } = content;
      if (!invoiceId || !linkExpiresAt) return invoiceId ? invoiceUrl(world, invoiceId) : null;
      return renewalUrl(world, { invoiceId, expiresAt: Math.floor(Date.parse(linkExpiresAt) / 1000) });
    }
    case 'RECEIPT':
      return content.invoiceId ? invoiceUrl(world, content.invoiceId) : null;
    case 'RENEWAL_REMINDER':
    case 'DISPUTE':
      return page('/pay');
    case 'REFUND':
    case 'MEMBER_LOW_BALANCE':
      return null;
    case 'MEMBER_PAYMENT':
      return content.paymentIntentId ? page(`/dashboard/payments/${content.paymentIntentId}`) : null;
    case 'MEMBER_DISPUTE':
      return content.dispute ? page(`/dashboard/disputes/${content.dispute.id}`) : null;
    case 'MEMBER_RENEWAL_FAILED':
      return content.subscriptionId ? page(`/dashboard/subscriptions/${content.subscriptionId}`) : null;
    case 'MEMBER_WEBHOOK_DISABLED':
      return page('/dashboard/developers');
    case 'MEMBER_SUMMARY':
      return page('/dashboard');
    default:
      return kind satisfies never;
  }
}

/** The subscriber of a mail that can be unsubscribed from; null for mails about a payment that the payer has made. */
export function subscriberOf(
  kind: MailKind,
  mail: { memberId: string | null; content: MailContent },
): Subscriber | null {
  if (mail.memberId !== null) {
    return { who: 'member', id: mail.memberId, kind: memberMailKindOf(kind) ?? 'ALL' };
  }
  const { customerId } = mail.content;
  return kind === 'RENEWAL_REMINDER' && customerId !== undefined ? { who: 'customer', id: customerId, kind } : null;
}

export function unsubscribeUrl(world: LinkWorld, subscriber: Subscriber): string {
  const { who, id, kind } = subscriber;
  return `${world.config.publicUrl}/unsubscribe/${who}/${id}/${kind}?token=${tokenOf(world.secretKeys, subscriber)}`;
}

/** Compares in constant time. */
export function unsubscribeTokenMatches(keys: Keys, subscriber: Subscriber, token: string): boolean {
  const [own, given] = [Buffer.from(tokenOf(keys, subscriber)), Buffer.from(token)];
  return own.length === given.length && timingSafeEqual(own, given);
}

function tokenOf(keys: Keys, { who, id, kind }: Subscriber): string {
  return createHmac('sha256', keys.unsubscribing).update(`${who} ${id} ${kind}`).digest('base64url');
}
