import type { MailContent } from '../mail-content.ts';
import type { DisputeTexts, MailFormat, MailWords } from './mail-words.ts';

const causes: Record<string, string> = {
  CAP_EXCEEDED:
    'Zum aktuellen Kurs kostet die Verlängerung mehr als der Höchstbetrag, dem Sie für einen Zeitraum zugestimmt haben.',
  INSUFFICIENT_ALLOWANCE: 'Ihre Wallet erlaubt keine Zahlung in dieser Höhe mehr.',
  INSUFFICIENT_BALANCE: 'Das Guthaben Ihrer Wallet reicht für diesen Betrag nicht aus.',
  CONSENT_REVOKED: 'Sie haben die wiederkehrende Zahlung widerrufen.',
  CONSENT_MISSING: 'Es liegt keine Zustimmung zu einer wiederkehrenden Zahlung vor.',
  PERMIT_EXPIRED: 'Die Erlaubnis, die Sie für die wiederkehrende Zahlung signiert haben, ist abgelaufen.',
  WALLET_REMOVED: 'Die Wallet, mit der dieses Abonnement bezahlt wird, wurde aus Ihrem Kundenkonto entfernt.',
};

const outcomes: Record<string, string> = {
  RESOLVED_MERCHANT: 'Der Streitfall wurde zugunsten des Händlers entschieden. Die Zahlung bleibt bestehen.',
  RESOLVED_PAYER:
    'Der Streitfall wurde zugunsten des Zahlers entschieden. Was noch treuhänderisch verwahrt war, wird zurückgezahlt.',
};

function outcomeOf({ dispute }: MailContent, format: MailFormat): string {
  const share = dispute?.payerPercent ? format.percent(dispute.payerPercent) : '?';
  return (
    outcomes[dispute?.status ?? ''] ??
    `Der noch treuhänderisch verwahrte Betrag wird geteilt: ${share} erhält der Zahler, den Rest der Händler.`
  );
}

const undecided =
  'Ist er bis dahin nicht entschieden, kann jeder veranlassen, dass die Zahlung so aufgeteilt wird, wie ihre Bedingungen es vorsehen.';

const toPayer: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `Ihr Streitfall mit ${appName} wurde eröffnet`,
    title: 'Ihr Streitfall wurde eröffnet',
    paragraphs: [
      'Das Geld bleibt im Treuhandkonto, bis der Streitfall entschieden ist. Über das Ergebnis informieren wir Sie per E-Mail.',
      `Bis dahin können Sie Nachweise einreichen. Die Frist endet am ${format.time(dispute?.deadline ?? '')}.`,
    ],
    action: 'Streitfall ansehen',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `Neuer Nachweis in Ihrem Streitfall mit ${appName}`,
    title: `${appName} hat einen Nachweis eingereicht`,
    paragraphs: ['Sie können ihn ansehen und eigene Nachweise einreichen, bis der Streitfall entschieden ist.'],
    action: 'Streitfall ansehen',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `Die Frist Ihres Streitfalls mit ${appName} läuft bald ab`,
    title: 'Die Frist Ihres Streitfalls läuft bald ab',
    paragraphs: [`Ihr Streitfall endet am ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
    action: 'Streitfall ansehen',
  }),
  RESOLVED: (content, format) => ({
    subject: `Ihr Streitfall mit ${content.appName} wurde entschieden`,
    title: 'Ihr Streitfall wurde entschieden',
    paragraphs: [outcomeOf(content, format)],
    action: 'Streitfall ansehen',
  }),
};

const toMember: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `Ein Zahler beanstandet eine Zahlung an ${appName}`,
    title: 'Ein Zahler hat einen Streitfall eröffnet',
    paragraphs: [
      'Das Geld bleibt im Treuhandkonto, bis der Streitfall entschieden ist. Sie können es dem Zahler jederzeit zurückgeben.',
      `Bitte reichen Sie Ihre Nachweise bis zum ${format.time(dispute?.deadline ?? '')} ein.`,
    ],
    action: 'Streitfall ansehen',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `Neuer Nachweis in einem Streitfall mit ${appName}`,
    title: 'Der Zahler hat einen Nachweis eingereicht',
    paragraphs: ['Sie können ihn ansehen und eigene Nachweise einreichen, bis der Streitfall entschieden ist.'],
    action: 'Streitfall ansehen',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `Die Frist eines Streitfalls mit ${appName} läuft bald ab`,
    title: 'Die Frist eines Streitfalls läuft bald ab',
    paragraphs: [`Der Streitfall endet am ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
    action: 'Streitfall ansehen',
  }),
  RESOLVED: (content, format) => ({
    subject: `Ein Streitfall mit ${content.appName} wurde entschieden`,
    title: 'Ein Streitfall wurde entschieden',
    paragraphs: [outcomeOf(content, format)],
    action: 'Streitfall ansehen',
  }),
};

const notices: Record<string, [one: string, many: string]> = {
  MEMBER_PAYMENT: ['eingegangene Zahlung', 'eingegangene Zahlungen'],
  MEMBER_DISPUTE: ['Änderung eines Streitfalls', 'Änderungen von Streitfällen'],
  MEMBER_RENEWAL_FAILED: ['fehlgeschlagene Verlängerung', 'fehlgeschlagene Verlängerungen'],
  MEMBER_WEBHOOK_DISABLED: ['deaktivierter Webhook', 'deaktivierte Webhooks'],
  MEMBER_LOW_BALANCE: ['niedriges Guthaben', 'niedrige Guthaben'],
};

export const german: MailWords = {
  labels: {
    amount: 'Betrag',
    paid: 'Bezahlt mit',
    refunded: 'Erstattet',
    network: 'Netzwerk',
    transaction: 'Transaktion',
    date: 'Datum',
    reference: 'Referenz',
    invoice: 'Rechnung',
    reason: 'Grund',
    plan: 'Tarif',
    due: 'Fällig am',
    nextAttempt: 'Nächster Versuch',
    deadline: 'Frist',
    payment: 'Zahlung',
    endpoint: 'Endpunkt',
    key: 'Schlüssel',
    balance: 'Guthaben',
  },
  greeting: (name) => (name === null ? 'Guten Tag,' : `Guten Tag ${name},`),
  text: {
    RECEIPT: ({ appName, money, invoiceId }, { money: print }) => ({
      subject: `Ihr Zahlungsbeleg von ${appName}`,
      title: `Sie haben ${money ? print(money) : ''} bezahlt`,
      paragraphs: [`Vielen Dank. ${appName} hat Ihre Zahlung erhalten.`],
      ...(invoiceId ? { action: 'Rechnung ansehen' } : {}),
    }),
    REFUND: ({ appName, token }) => ({
      subject: `Ihre Erstattung von ${appName}`,
      title: `${token ?? 'Ihre Zahlung'} wurde Ihnen erstattet`,
      paragraphs: [`${appName} hat Ihre Zahlung an die Wallet erstattet, mit der Sie bezahlt haben.`],
    }),
    RENEWAL_REMINDER: ({ appName, plan, at, money, isMetered }, format) => ({
      subject: `Ihr Abonnement ${plan} verlängert sich bald`,
      title: `${plan} verlängert sich am ${at ? format.date(at) : ''}`,
      paragraphs: [
        `Ihr Abonnement bei ${appName} verlängert sich automatisch. ${money ? `Von Ihrer Wallet werden ${format.money(money)} abgebucht.` : ''}`,
        ...(isMetered && money
          ? ['Ihre bisherige Nutzung ist darin enthalten. Die Nutzung bis dahin kommt hinzu.']
          : []),
        'Bitte sorgen Sie bis dahin für ausreichendes Guthaben. Wiederkehrende Zahlungen können Sie jederzeit mit Ihrer Wallet einsehen und widerrufen.',
      ],
      action: 'Wiederkehrende Zahlungen verwalten',
    }),
    RENEWAL_FAILED: ({ appName, plan, cause, isPastDue }) => ({
      subject: isPastDue
        ? `Ihr Abonnement ${plan} ist überfällig`
        : `Ihr Abonnement ${plan} konnte nicht verlängert werden`,
      title: isPastDue ? 'Ihr Abonnement ist überfällig' : 'Ihre Verlängerung konnte nicht bezahlt werden',
      paragraphs: [
        `Die Verlängerung Ihres Abonnements ${plan} bei ${appName} konnte nicht abgebucht werden.`,
        causes[cause ?? ''] ?? 'Das Netzwerk hat die Abbuchung abgelehnt.',
        'Sie können die Ursache beheben, künftig mit einer anderen Wallet bezahlen oder nur die offene Rechnung begleichen. Ihr Abonnement läuft weiter, sobald die Zahlung eingegangen ist.',
      ],
      action: 'Zahlung aktualisieren',
    }),
    DISPUTE: (content, format) => toPayer[content.dispute?.step ?? 'OPENED'](content, format),
    MEMBER_PAYMENT: ({ appName, money }, format) => ({
      subject: `Zahlung eingegangen: ${money ? format.money(money) : ''}`,
      title: `${appName} hat ${money ? format.money(money) : 'eine Zahlung'} erhalten`,
      paragraphs: [],
      action: 'Zahlung ansehen',
    }),
    MEMBER_DISPUTE: (content, format) => toMember[content.dispute?.step ?? 'OPENED'](content, format),
    MEMBER_RENEWAL_FAILED: ({ plan, appName, isPastDue, cause }) => ({
      subject: isPastDue ? `Ein Abonnement ${plan} ist überfällig` : `Eine Verlängerung von ${plan} ist fehlgeschlagen`,
      title: isPastDue ? 'Ein Abonnement ist überfällig' : 'Eine Verlängerung konnte nicht abgebucht werden',
      paragraphs: [
        `${appName} konnte eine Verlängerung von ${plan} nicht abbuchen. Fehlercode: ${cause ?? 'CHARGE_FAILED'}.`,
      ],
      action: 'Abonnement ansehen',
    }),
    MEMBER_WEBHOOK_DISABLED: ({ appName }) => ({
      subject: `Ein Webhook-Endpunkt von ${appName} wurde deaktiviert`,
      title: 'Ein Webhook-Endpunkt wurde deaktiviert',
      paragraphs: [
        'Der Server möchte keine Zustellungen mehr (410 Gone). Die Ereignisse bleiben erhalten und können nach dem Aktivieren erneut zugestellt werden.',
      ],
      action: 'Webhooks ansehen',
    }),
    MEMBER_LOW_BALANCE: ({ chain }) => ({
      subject: `Niedriges Guthaben für Gas auf ${chain}`,
      title: 'Ein sendender Schlüssel hat wenig Guthaben für Gas',
      paragraphs: [
        'Einzüge, Erstattungen und Verlängerungen in diesem Netzwerk stehen still, sobald das Guthaben aufgebraucht ist. Bitte laden Sie es auf.',
      ],
    }),
    MEMBER_SUMMARY: ({ counts = {} }) => {
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return {
        subject: `${total} weitere Benachrichtigungen in der letzten Stunde`,
        title: `${total} weitere Benachrichtigungen`,
        paragraphs: [
          'Es waren zu viele für einzelne E-Mails:',
          ...Object.entries(counts).map(([kind, count]) => `${count} ${notices[kind]?.[count === 1 ? 0 : 1] ?? kind}`),
        ],
        action: 'Dashboard öffnen',
      };
    },
  },
  seeInvoice: 'Rechnung ansehen',
  unsubscribe: 'Abbestellen',
  footer: (from, isToMember) =>
    isToMember
      ? `Sie erhalten diese E-Mail von ${from}, weil Sie sie unter Einstellungen, Benachrichtigungen eingeschaltet haben.`
      : `Sie erhalten diese E-Mail wegen einer Zahlung an ${from}.`,
};
