import type { MailContent } from '../mail-content.ts';
import type { DisputeTexts, MailFormat, MailWords } from './mail-words.ts';

const causes: Record<string, string> = {
  CAP_EXCEEDED:
    'Zum aktuellen Kurs übersteigt die Verlängerung den Höchstbetrag, dem Sie pro Zeitraum zugestimmt haben.',
  INSUFFICIENT_ALLOWANCE: 'Die Token-Freigabe Ihrer Wallet reicht für diesen Betrag nicht aus.',
  INSUFFICIENT_BALANCE: 'Das Guthaben Ihrer Wallet reicht für diesen Betrag nicht aus.',
  CONSENT_REVOKED: 'Sie haben die wiederkehrende Zahlung widerrufen.',
  CONSENT_MISSING: 'Für diese wiederkehrende Zahlung liegt keine gültige Zustimmung vor.',
  PERMIT_EXPIRED: 'Ihre Signatur für die wiederkehrende Zahlung ist abgelaufen.',
  WALLET_REMOVED: 'Die Wallet, mit der dieses Abonnement bezahlt wird, wurde aus Ihrem Kundenkonto entfernt.',
};

/** The same causes, to the merchant. */
const memberCauses: Record<string, string> = {
  CAP_EXCEEDED: 'Der Betrag übersteigt den vom Kunden signierten Höchstbetrag.',
  INSUFFICIENT_ALLOWANCE: 'Die Token-Freigabe der Wallet des Kunden reicht nicht aus.',
  INSUFFICIENT_BALANCE: 'Das Guthaben der Wallet des Kunden reicht nicht aus.',
  CONSENT_REVOKED: 'Der Kunde hat die Zustimmung widerrufen.',
  CONSENT_MISSING: 'Es liegt keine Zustimmung des Kunden vor.',
  PERMIT_EXPIRED: 'Die Signatur des Kunden ist abgelaufen.',
  WALLET_REMOVED: 'Die Wallet wurde entfernt.',
};

const outcomes: Record<string, string> = {
  RESOLVED_MERCHANT: 'Der Streitfall wurde zugunsten des Händlers entschieden. Die Zahlung wird nicht erstattet.',
  RESOLVED_PAYER:
    'Der Streitfall wurde zugunsten des Kunden entschieden. Der treuhänderisch verwahrte Betrag wird erstattet.',
};

function outcomeOf({ dispute }: MailContent, format: MailFormat): string {
  const share = dispute?.payerPercent ? format.percent(dispute.payerPercent) : '?';
  return (
    outcomes[dispute?.status ?? ''] ??
    `Der treuhänderisch verwahrte Betrag wird aufgeteilt: ${share} werden dem Kunden erstattet, der Rest wird an den Händler ausgezahlt.`
  );
}

const undecided =
  'Ohne Entscheidung bis dahin kann jeder den Streitfall beenden; der Betrag wird dann nach den Zahlungsbedingungen aufgeteilt.';

const toPayer: DisputeTexts = {
  OPENED: ({ appName, dispute }, format) => ({
    subject: `Ihr Streitfall mit ${appName} wurde eröffnet`,
    title: 'Ihr Streitfall wurde eröffnet',
    paragraphs: [
      'Ihre Zahlung bleibt treuhänderisch verwahrt, bis der Streitfall entschieden ist. Über das Ergebnis informieren wir Sie per E-Mail.',
      `Nachweise können Sie bis zum ${format.time(dispute?.deadline ?? '')} einreichen.`,
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
    paragraphs: [`Die Frist endet am ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
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
    subject: `Neuer Streitfall zu einer Zahlung an ${appName}`,
    title: 'Ein Kunde hat einen Streitfall eröffnet',
    paragraphs: [
      'Die Zahlung bleibt treuhänderisch verwahrt, bis der Streitfall entschieden ist. Sie können den Streitfall jederzeit anerkennen und dem Kunden die Zahlung erstatten.',
      `Bitte reichen Sie Ihre Nachweise bis zum ${format.time(dispute?.deadline ?? '')} ein.`,
    ],
    action: 'Streitfall ansehen',
  }),
  EVIDENCE_SUBMITTED: ({ appName }) => ({
    subject: `Neuer Nachweis in einem Streitfall mit ${appName}`,
    title: 'Der Kunde hat einen Nachweis eingereicht',
    paragraphs: ['Sie können ihn ansehen und eigene Nachweise einreichen, bis der Streitfall entschieden ist.'],
    action: 'Streitfall ansehen',
  }),
  DEADLINE_APPROACHING: ({ appName, dispute }, format) => ({
    subject: `Die Frist eines Streitfalls mit ${appName} läuft bald ab`,
    title: 'Die Frist eines Streitfalls läuft bald ab',
    paragraphs: [`Die Frist endet am ${format.time(dispute?.deadline ?? '')}. ${undecided}`],
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
  MEMBER_DISPUTE: ['Neuigkeit zu einem Streitfall', 'Neuigkeiten zu Streitfällen'],
  MEMBER_RENEWAL_FAILED: ['fehlgeschlagene Verlängerung', 'fehlgeschlagene Verlängerungen'],
  MEMBER_WEBHOOK_DISABLED: ['deaktivierter Webhook-Endpunkt', 'deaktivierte Webhook-Endpunkte'],
  MEMBER_LOW_BALANCE: ['Wallet mit niedrigem Guthaben', 'Wallets mit niedrigem Guthaben'],
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
    due: 'Verlängerung am',
    nextAttempt: 'Nächster Versuch',
    deadline: 'Frist',
    payment: 'Zahlung',
    endpoint: 'Endpunkt',
    key: 'Wallet',
    balance: 'Guthaben',
  },
  greeting: (name) => (name === null ? 'Guten Tag,' : `Guten Tag ${name},`),
  text: {
    RECEIPT: ({ appName, money, invoiceId }, { money: print }) => ({
      subject: `Ihr Zahlungsbeleg von ${appName}`,
      title: `Sie haben ${money ? print(money) : ''} bezahlt`,
      paragraphs: [`Vielen Dank für Ihre Zahlung an ${appName}.`],
      ...(invoiceId ? { action: 'Rechnung ansehen' } : {}),
    }),
    REFUND: ({ appName, token }, format) => ({
      subject: `Ihre Erstattung von ${appName}`,
      title: token ? `Ihre Erstattung über ${format.token(token)}` : 'Ihre Erstattung',
      paragraphs: [`${appName} hat die Erstattung an die Wallet gesendet, mit der Sie bezahlt haben.`],
    }),
    RENEWAL_REMINDER: ({ appName, plan, at, money, isMetered }, format) => ({
      subject: `Ihr Abonnement ${plan} verlängert sich bald`,
      title: `Ihr Abonnement ${plan} verlängert sich am ${at ? format.date(at) : ''}`,
      paragraphs: [
        `Ihr Abonnement bei ${appName} verlängert sich automatisch. ${money ? `Von Ihrer Wallet werden ${format.money(money)} abgebucht.` : ''}`,
        ...(isMetered && money
          ? ['Ihre bisherige Nutzung ist darin enthalten. Weitere Nutzung bis zur Verlängerung kommt hinzu.']
          : []),
        'Bitte sorgen Sie bis dahin für ausreichendes Guthaben. Sie können Ihre wiederkehrenden Zahlungen jederzeit einsehen und widerrufen.',
      ],
      action: 'Abonnement verwalten',
    }),
    RENEWAL_FAILED: ({ appName, plan, cause, isPastDue }) => ({
      subject: isPastDue
        ? `Ihr Abonnement ${plan} ist überfällig`
        : `Ihr Abonnement ${plan} konnte nicht verlängert werden`,
      title: isPastDue ? 'Ihr Abonnement ist überfällig' : 'Die Zahlung für Ihre Verlängerung ist fehlgeschlagen',
      paragraphs: [
        `Der Betrag für die Verlängerung Ihres Abonnements ${plan} bei ${appName} konnte nicht von Ihrer Wallet abgebucht werden.`,
        causes[cause ?? ''] ?? 'Das Netzwerk hat die Abbuchung abgelehnt.',
        'Sie können die Ursache beheben, zu einer anderen Wallet wechseln oder nur die offene Rechnung bezahlen. Ihr Abonnement läuft weiter, sobald Ihre Zahlung eingegangen ist.',
      ],
      action: 'Zahlungsart aktualisieren',
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
      subject: isPastDue
        ? `Ein Abonnement ${plan} ist überfällig`
        : `Zahlung für eine Verlängerung von ${plan} fehlgeschlagen`,
      title: isPastDue ? 'Ein Abonnement ist überfällig' : 'Die Zahlung für eine Verlängerung ist fehlgeschlagen',
      paragraphs: [
        `${appName} konnte den Betrag für die Verlängerung eines Abonnements ${plan} nicht abbuchen.`,
        `${memberCauses[cause ?? ''] ?? 'Das Netzwerk hat die Abbuchung abgelehnt.'} Fehlercode: ${cause ?? 'CHARGE_FAILED'}.`,
      ],
      action: 'Abonnement ansehen',
    }),
    MEMBER_WEBHOOK_DISABLED: ({ appName }) => ({
      subject: `Ein Webhook-Endpunkt von ${appName} wurde deaktiviert`,
      title: 'Ein Webhook-Endpunkt wurde deaktiviert',
      paragraphs: [
        'Der Endpunkt hat mit 410 Gone geantwortet. Ereignisse werden ihm daher nicht mehr zugestellt. Sie können ihn jederzeit wieder aktivieren und die Ereignisse erneut zustellen.',
      ],
      action: 'Webhook-Endpunkte ansehen',
    }),
    MEMBER_LOW_BALANCE: ({ chain }) => ({
      subject: `Niedriges Guthaben für Netzwerkgebühren auf ${chain}`,
      title: 'Das Guthaben einer Wallet Ihrer Installation für Netzwerkgebühren ist niedrig',
      paragraphs: [
        'Sobald das Guthaben aufgebraucht ist, sind in diesem Netzwerk keine Einzüge, Erstattungen und Verlängerungen mehr möglich. Bitte laden Sie die Wallet auf.',
      ],
    }),
    MEMBER_SUMMARY: ({ counts = {} }) => {
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const more = total === 1 ? '1 weitere Benachrichtigung' : `${total} weitere Benachrichtigungen`;
      return {
        subject: `${more} in der letzten Stunde`,
        title: more,
        paragraphs: [
          'Es waren zu viele Benachrichtigungen für einzelne E-Mails:',
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
      ? `Sie erhalten diese E-Mail von ${from}, weil Sie sie in den Einstellungen unter „Benachrichtigungen“ aktiviert haben.`
      : `Sie erhalten diese E-Mail wegen einer Zahlung an ${from}.`,
};
