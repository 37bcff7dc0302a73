/**
 * The mails of a dispute: to the merchant's members and, if an email address is known, to the payer, at each step. No language is known of
 * a recipient, so every mail is in English and German. A mail names neither the evidence nor a credential; it leads to the page on which
 * its recipient logs in.
 */
import { type Database, type DisputeParty, transaction } from '../../../prisma/client.ts';
import type { ReactedEvent } from '../../events/react.ts';
import { addJob } from '../../platform/jobs.ts';
import { escapeHtml, type Mailer } from '../../platform/mail.ts';
import { type MailedStep, mailDisputeJob, mailedSteps } from './jobs.ts';

const MEMBERS = 100;

type Recipient = { to: string; audience: DisputeParty };

/**
 * Queues the mails about events of disputes, one job for each event and recipient. Each is recorded with its job, so that a reaction that
 * runs twice queues none twice.
 */
export async function queueDisputeMails(
  { database }: { database: Database },
  events: readonly ReactedEvent[],
): Promise<void> {
  for (const event of events) {
    const step = mailedSteps.find((each) => each === event.type);
    if (!step) continue;
    await transaction(database, async (tx) => {
      const dispute = await tx.dispute.findUnique({
        where: { id: event.resourceId },
        include: {
          paymentIntent: {
            include: {
              customerAccount: { select: { email: true } },
              app: { include: { merchant: { include: { members: membersToMail } } } },
            },
          },
        },
      });
      // A reorganization may have removed the dispute.
      if (!dispute) return;
      const { customerAccount, app } = dispute.paymentIntent;
      const all: Recipient[] = [
        ...app.merchant.members.map(({ email: to }) => ({ to, audience: 'MERCHANT' as const })),
        ...(customerAccount?.email ? [{ to: customerAccount.email, audience: 'PAYER' as const }] : []),
      ];
      const submitter = step === 'dispute.evidence_submitted' ? await submitterOf(tx, event) : null;
      for (const { to, audience } of all) {
        if (audience === submitter) continue;
        const data = [{ eventId: event.id, recipient: `${audience}:${to}` }];
        const { count } = await tx.disputeMail.createMany({ data, skipDuplicates: true });
        if (count === 1) await addJob(tx, mailDisputeJob, { disputeId: dispute.id, step, to, audience });
      }
    });
  }
}

const membersToMail = {
  where: { removedAt: null, joinedAt: { not: null } },
  select: { email: true },
  orderBy: { id: 'asc' },
  take: MEMBERS,
} as const;

/** The side that submitted, which needs no mail about it. */
async function submitterOf(
  tx: Pick<Database, 'event'>,
  { appId, sequence }: ReactedEvent,
): Promise<DisputeParty | null> {
  const event = await tx.event.findUnique({ where: { appId_sequence: { appId, sequence } }, select: { data: true } });
  const { submission } = Object(event?.data);
  const party: unknown = Object(submission).party;
  return party === 'PAYER' || party === 'MERCHANT' ? party : null;
}

/** Sends one mail about a step of a dispute, in its state as of now. */
export async function mailDispute(
  world: { database: Database; mailer: Mailer; config: { publicUrl: string } },
  { disputeId, step, to, audience }: { disputeId: string; step: MailedStep; to: string; audience: DisputeParty },
): Promise<void> {
  const dispute = await world.database.dispute.findUnique({
    where: { id: disputeId },
    include: { paymentIntent: { include: { app: { select: { name: true } } } } },
  });
  if (!dispute) return;
  const { paymentIntent: intent, deadline, payerBps } = dispute;
  const facts: Facts = {
    app: intent.app.name,
    amount: `${intent.amount.toFixed(2)} ${intent.currency}`,
    deadline,
    payerPercent: payerBps === null ? null : payerBps / 100,
  };
  const link = `${world.config.publicUrl}${audience === 'MERCHANT' ? `/dashboard/disputes/${dispute.id}` : '/pay'}`;
  const [english, german] = [wordsIn.en(facts)[step], wordsIn.de(facts)[step]].map((words) => words[audience]);
  if (!english || !german) return;
  await world.mailer.send({
    to,
    subject: `${subjects.en[step]} / ${subjects.de[step]}: ${facts.amount}, ${facts.app}`,
    text: `${english}\n\n${german}\n\n${link}\n`,
    html: [`<p lang="en">${escapeHtml(english)}</p>`, `<p lang="de">${escapeHtml(german)}</p>`, anchor(link), ''].join(
      '\n',
    ),
  });
}

function anchor(link: string): string {
  return `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`;
}

type Facts = { app: string; amount: string; deadline: Date; payerPercent: number | null };
type Language = 'en' | 'de';
type Words = Record<MailedStep, Record<DisputeParty, string>>;

const subjects: Record<Language, Record<MailedStep, string>> = {
  en: {
    'dispute.opened': 'Payment disputed',
    'dispute.evidence_submitted': 'New evidence in a dispute',
    'dispute.deadline_approaching': 'Dispute: deadline approaching',
    'dispute.resolved': 'Dispute resolved',
  },
  de: {
    'dispute.opened': 'Zahlung beanstandet',
    'dispute.evidence_submitted': 'Neuer Nachweis im Streitfall',
    'dispute.deadline_approaching': 'Streitfall: Frist läuft ab',
    'dispute.resolved': 'Streitfall entschieden',
  },
};

const wordsIn: Record<Language, (facts: Facts) => Words> = {
  en: ({ app, amount, deadline, payerPercent }) => {
    const until = new Intl.DateTimeFormat('en', utc).format(deadline);
    const share = payerPercent === null ? '' : `${new Intl.NumberFormat('en', percent).format(payerPercent)} %`;
    return {
      'dispute.opened': {
        MERCHANT: `The payer has disputed a payment of ${amount} to ${app}. Submit your evidence, or return the money, until ${until} (UTC).`,
        PAYER: `Your dispute of a payment of ${amount} to ${app} is open. You can submit evidence. It is decided by ${until} (UTC).`,
      },
      'dispute.evidence_submitted': {
        MERCHANT: `The payer has submitted evidence about the disputed payment of ${amount} to ${app}.`,
        PAYER: `${app} has submitted evidence about your disputed payment of ${amount}.`,
      },
      'dispute.deadline_approaching': {
        MERCHANT: `The dispute of a payment of ${amount} to ${app} ends at ${until} (UTC). If it is not decided until then, anyone can split the payment as its terms say.`,
        PAYER: `Your dispute of a payment of ${amount} to ${app} ends at ${until} (UTC). If it is not decided until then, anyone can split the payment as its terms say.`,
      },
      'dispute.resolved': {
        MERCHANT: `The dispute of a payment of ${amount} to ${app} is resolved: the payer receives ${share} of what was left in escrow.`,
        PAYER: `Your dispute of a payment of ${amount} to ${app} is resolved: you receive ${share} of what was left in escrow.`,
      },
    };
  },
  de: ({ app, amount, deadline, payerPercent }) => {
    const until = new Intl.DateTimeFormat('de', utc).format(deadline);
    const share = payerPercent === null ? '' : `${new Intl.NumberFormat('de', percent).format(payerPercent)} %`;
    return {
      'dispute.opened': {
        MERCHANT: `Der Zahler hat eine Zahlung von ${amount} an ${app} beanstandet. Reichen Sie bis ${until} (UTC) Ihre Nachweise ein oder erstatten Sie das Geld.`,
        PAYER: `Ihre Beanstandung einer Zahlung von ${amount} an ${app} ist eröffnet. Sie können Nachweise einreichen. Entschieden wird bis ${until} (UTC).`,
      },
      'dispute.evidence_submitted': {
        MERCHANT: `Der Zahler hat Nachweise zur beanstandeten Zahlung von ${amount} an ${app} eingereicht.`,
        PAYER: `${app} hat Nachweise zu Ihrer beanstandeten Zahlung von ${amount} eingereicht.`,
      },
      'dispute.deadline_approaching': {
        MERCHANT: `Der Streitfall zu einer Zahlung von ${amount} an ${app} endet am ${until} (UTC). Ist er bis dahin nicht entschieden, kann die Zahlung so aufgeteilt werden, wie ihre Bedingungen es vorsehen.`,
        PAYER: `Der Streitfall zu Ihrer Zahlung von ${amount} an ${app} endet am ${until} (UTC). Ist er bis dahin nicht entschieden, kann die Zahlung so aufgeteilt werden, wie ihre Bedingungen es vorsehen.`,
      },
      'dispute.resolved': {
        MERCHANT: `Der Streitfall zu einer Zahlung von ${amount} an ${app} ist entschieden: Der Zahler erhält ${share} des treuhänderisch verwahrten Betrags.`,
        PAYER: `Der Streitfall zu Ihrer Zahlung von ${amount} an ${app} ist entschieden: Sie erhalten ${share} des treuhänderisch verwahrten Betrags.`,
      },
    };
  },
};

const utc = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
const percent = { maximumFractionDigits: 2 } as const;
