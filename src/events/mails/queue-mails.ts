import { type Database, transaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Clock } from '../../platform/clock.ts';
import { isEventType } from '../event-type.ts';
import type { ReactedEvent } from '../react.ts';
import { enqueueMails, type NewMail } from './enqueue-mails.ts';
import {
  isForOperators,
  isPayerMailKind,
  type MemberMailKind,
  mailLanguageOf,
  type PayerMailKind,
} from './mail-kind.ts';
import { type MailOccasion, occasionsOf } from './mail-occasions.ts';

/** The events that mails are sent about. An event type that is added here needs an occasion. */
export const mailedEvents = [
  'payment_intent.captured',
  'payment_intent.refunded',
  'payment_intent.partially_refunded',
  'dispute.opened',
  'dispute.evidence_submitted',
  'dispute.deadline_approaching',
  'dispute.resolved',
  'subscription.payment_failed',
  'subscription.past_due',
  'webhook_endpoint.disabled',
] as const;

/**
 * Queues the mails about events of one app, to the payers and members who have them switched on. Most apps have no mails enabled, in which
 * case only one row is read. Idempotent per event, kind and recipient.
 */
export async function queueMails(
  world: { database: Database; clock: Clock; registry: Registry },
  events: readonly ReactedEvent[],
): Promise<void> {
  const [first] = events;
  if (!first || !isEventType(first.type)) return;
  const { database, clock } = world;
  const app = await database.app.findUnique({
    where: { id: first.appId },
    include: {
      mailSettings: true,
      merchant: {
        include: {
          members: {
            where: { removedAt: null, joinedAt: { not: null }, notifications: { kinds: { isEmpty: false } } },
            include: { notifications: true },
          },
        },
      },
    },
  });
  if (!app) return;
  const members = app.merchant.members;
  if ((app.mailSettings?.kinds.length ?? 0) === 0 && members.length === 0) return;
  const kinds = new Set(app.mailSettings?.kinds.filter(isPayerMailKind));
  const received = new Set(members.flatMap(({ notifications }) => notifications?.kinds ?? []));
  const isWanted = ({ type }: ReactedEvent) => {
    const [payerKind, memberKind] = kindsOf(type);
    return (payerKind !== null && kinds.has(payerKind)) || (memberKind !== null && received.has(memberKind));
  };
  const wanted = events.filter(isWanted);
  if (wanted.length === 0) return;
  const occasions = await occasionsOf(world, { app, events: wanted });
  const mails = occasions.flatMap((occasion) => [
    ...(occasion.payerKind !== null && kinds.has(occasion.payerKind)
      ? toPayer(occasion, app.mailSettings?.language)
      : []),
    ...members.flatMap((member) => toMember(occasion, member)),
  ]);
  if (mails.length === 0) return;
  await transaction(database, (tx) => enqueueMails(tx, { mails, now: clock.now() }));
}

/** The kinds of mail about events of a type, to payers and to members. */
function kindsOf(type: string): [payerKind: PayerMailKind | null, memberKind: MemberMailKind | null] {
  switch (mailedEvents.find((mailed) => mailed === type)) {
    case 'payment_intent.captured':
      return ['RECEIPT', 'PAYMENT'];
    case 'payment_intent.refunded':
    case 'payment_intent.partially_refunded':
      return ['REFUND', null];
    case 'dispute.opened':
    case 'dispute.evidence_submitted':
    case 'dispute.deadline_approaching':
    case 'dispute.resolved':
      return ['DISPUTE', 'DISPUTE'];
    case 'subscription.payment_failed':
    case 'subscription.past_due':
      return ['RENEWAL_FAILED', 'RENEWAL_FAILED'];
    case 'webhook_endpoint.disabled':
      return [null, 'WEBHOOK_DISABLED'];
    case undefined:
      return [null, null];
  }
}

function toPayer(occasion: MailOccasion, appLanguage: string | undefined): NewMail[] {
  const { payerKind, customer, appId, source, resourceId, content } = occasion;
  if (payerKind === null || !customer?.email) return [];
  return [
    {
      appId,
      memberId: null,
      source,
      kind: payerKind,
      recipient: customer.email,
      language: mailLanguageOf(customer.locale) ?? mailLanguageOf(appLanguage) ?? 'en',
      resourceId,
      content: { ...content, customerName: customer.name },
    },
  ];
}

type Notified = { id: string; email: string; notifications: { kinds: string[]; language: string } | null };

function toMember({ memberKind, appId, source, resourceId, content }: MailOccasion, member: Notified): NewMail[] {
  if (memberKind === null || isForOperators(memberKind) || !member.notifications?.kinds.includes(memberKind)) return [];
  return [
    {
      appId,
      memberId: member.id,
      source,
      kind: `MEMBER_${memberKind}`,
      recipient: member.email,
      language: mailLanguageOf(member.notifications.language) ?? 'en',
      resourceId,
      content,
    },
  ];
}
