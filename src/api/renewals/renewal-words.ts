/** The words of the page on which a payer repairs a failed renewal. */
import type { RenewalCauseCode } from '../../subscriptions/renewal/renewal-cause.ts';
import type { PageLanguage } from '../page-language.ts';

/** Amounts are printed, with their symbols. */
export type CauseFigures = { needed: string; cap: string; allowance: string; balance: string };

export type RenewalWords = {
  title: string;
  wallet: string;
  network: string;
  plan: string;
  due: string;
  invoice: string;
  needed: string;
  cap: string;
  allowance: string;
  balance: string;
  cause: (code: RenewalCauseCode, figures: CauseFigures | null) => string;
  repaired: string;
  unknown: string;
  retry: { title: string; text: string; button: string };
  topUp: { title: string; text: (missing: string, network: string, wallet: string) => string; button: string };
  allow: { title: string; text: (needed: string, network: string, escrow: string) => string; button: string };
  consent: { title: string; text: string; button: string };
  pay: { title: string; text: string; button: (amount: string) => string };
  paid: { title: string; text: string };
  ended: { title: string; text: string };
  underWay: { title: string; text: string; button: string };
  notFound: { title: string; text: string };
  expired: { title: string; text: string };
  conflict: { title: string; text: string };
  tryLater: { title: string; text: string };
  method: { title: string; text: string };
};

const english: RenewalWords = {
  title: 'Your renewal could not be paid',
  wallet: 'Wallet',
  network: 'Network',
  plan: 'Subscription',
  due: 'Amount due',
  invoice: 'Invoice',
  needed: 'Needed at the current price',
  cap: 'Agreed maximum per period',
  allowance: 'Allowed by the wallet',
  balance: 'Balance of the wallet',
  cause: (code, figures) => {
    switch (code) {
      case 'CAP_EXCEEDED':
        return figures
          ? `The renewal costs ${figures.needed}, more than the ${figures.cap} per period that you agreed to.`
          : 'The renewal costs more than the maximum per period that you agreed to.';
      case 'INSUFFICIENT_ALLOWANCE':
        return figures
          ? `The renewal costs ${figures.needed}, but your wallet allows only ${figures.allowance} to be charged.`
          : 'Your wallet allows less to be charged than the renewal costs.';
      case 'INSUFFICIENT_BALANCE':
        return figures
          ? `The renewal costs ${figures.needed}, but your wallet holds only ${figures.balance}.`
          : 'Your wallet holds less than the renewal costs.';
      case 'CONSENT_REVOKED':
        return 'The agreement to recurring payments was revoked with your wallet.';
      case 'PERMIT_EXPIRED':
        return 'The permission that you signed expired before it could be used.';
      case 'WALLET_REMOVED':
        return 'The wallet that you signed with is no longer linked to your account.';
      case 'CONSENT_MISSING':
        return 'There is no valid agreement to recurring payments.';
      default:
        return 'The network rejected the charge. If your wallet is a smart account whose owners have changed, it must sign again.';
    }
  },
  repaired: 'Your wallet can pay the renewal now.',
  unknown: 'The network or the price is not available at the moment, so this is the cause of the last attempt.',
  retry: {
    title: 'Charge the renewal again',
    text: 'The renewal is charged to your wallet at once, and the following ones as before.',
    button: 'Charge again now',
  },
  topUp: {
    title: 'Top up the wallet',
    text: (missing, network, wallet) => `Send at least ${missing} on ${network} to ${wallet}. Then check again.`,
    button: 'Check again',
  },
  allow: {
    title: 'Raise the allowance',
    text: (needed, network, escrow) =>
      `With your wallet, approve at least ${needed} on ${network} for the contract ${escrow}. Then check again. If you sign a new agreement instead, your wallet asks for the allowance.`,
    button: 'Check again',
  },
  consent: {
    title: 'Sign a new agreement',
    text: 'With the same or another wallet, token or network. It replaces the present agreement and pays this invoice. Later renewals are charged to the wallet that signs.',
    button: 'Sign a new agreement',
  },
  pay: {
    title: 'Pay only this invoice',
    text: 'With any wallet. The next renewal is charged by the present agreement, and fails again unless you repair it.',
    button: (amount) => `Pay ${amount} once`,
  },
  paid: { title: 'The renewal is paid', text: 'Your subscription continues. You can close this page.' },
  ended: {
    title: 'There is nothing to repair',
    text: 'The invoice is closed, or the subscription has been paused or cancelled. Please contact the merchant.',
  },
  underWay: {
    title: 'The charge is on its way',
    text: 'This usually takes a few minutes. Reload the page to see the result.',
    button: 'Reload',
  },
  notFound: { title: 'No such link', text: 'The address is incomplete or invalid.' },
  expired: { title: 'The link has expired', text: 'Please ask the merchant for a new one.' },
  conflict: { title: 'Not possible at the moment', text: 'The subscription has just changed. Open the link again.' },
  tryLater: { title: 'Too many requests', text: 'Try again in a moment.' },
  method: { title: 'Method not allowed', text: 'This address does not accept that method.' },
};

const german: RenewalWords = {
  title: 'Ihre Verlängerung konnte nicht bezahlt werden',
  wallet: 'Wallet',
  network: 'Netzwerk',
  plan: 'Abonnement',
  due: 'Offener Betrag',
  invoice: 'Rechnung',
  needed: 'Benötigt zum aktuellen Kurs',
  cap: 'Vereinbarter Höchstbetrag pro Zeitraum',
  allowance: 'Von der Wallet freigegeben',
  balance: 'Guthaben der Wallet',
  cause: (code, figures) => {
    switch (code) {
      case 'CAP_EXCEEDED':
        return figures
          ? `Die Verlängerung kostet ${figures.needed} und damit mehr als die vereinbarten ${figures.cap} pro Zeitraum.`
          : 'Die Verlängerung kostet mehr als den vereinbarten Höchstbetrag pro Zeitraum.';
      case 'INSUFFICIENT_ALLOWANCE':
        return figures
          ? `Die Verlängerung kostet ${figures.needed}, Ihre Wallet gibt aber nur ${figures.allowance} frei.`
          : 'Ihre Wallet gibt weniger frei, als die Verlängerung kostet.';
      case 'INSUFFICIENT_BALANCE':
        return figures
          ? `Die Verlängerung kostet ${figures.needed}, Ihre Wallet enthält aber nur ${figures.balance}.`
          : 'Ihre Wallet enthält weniger, als die Verlängerung kostet.';
      case 'CONSENT_REVOKED':
        return 'Die Zustimmung zu wiederkehrenden Zahlungen wurde mit Ihrer Wallet widerrufen.';
      case 'PERMIT_EXPIRED':
        return 'Die von Ihnen signierte Freigabe ist abgelaufen, bevor sie verwendet werden konnte.';
      case 'WALLET_REMOVED':
        return 'Die Wallet, mit der Sie signiert haben, ist nicht mehr mit Ihrem Konto verknüpft.';
      case 'CONSENT_MISSING':
        return 'Es gibt keine gültige Zustimmung zu wiederkehrenden Zahlungen.';
      default:
        return 'Das Netzwerk hat die Abbuchung abgelehnt. Falls Ihre Wallet ein Smart Account ist, dessen Inhaber gewechselt haben, muss sie neu signieren.';
    }
  },
  repaired: 'Ihre Wallet kann die Verlängerung jetzt bezahlen.',
  unknown:
    'Das Netzwerk oder der Kurs ist im Moment nicht verfügbar. Angezeigt wird daher die Ursache des letzten Versuchs.',
  retry: {
    title: 'Verlängerung erneut abbuchen',
    text: 'Die Verlängerung wird sofort von Ihrer Wallet abgebucht, die folgenden wie bisher.',
    button: 'Jetzt erneut abbuchen',
  },
  topUp: {
    title: 'Wallet aufladen',
    text: (missing, network, wallet) =>
      `Senden Sie mindestens ${missing} im Netzwerk ${network} an ${wallet}. Prüfen Sie danach erneut.`,
    button: 'Erneut prüfen',
  },
  allow: {
    title: 'Freigabe erhöhen',
    text: (needed, network, escrow) =>
      `Geben Sie mit Ihrer Wallet im Netzwerk ${network} mindestens ${needed} für den Vertrag ${escrow} frei. Prüfen Sie danach erneut. Wenn Sie stattdessen eine neue Zustimmung signieren, fragt Ihre Wallet nach der Freigabe.`,
    button: 'Erneut prüfen',
  },
  consent: {
    title: 'Neue Zustimmung signieren',
    text: 'Mit derselben oder einer anderen Wallet, einem anderen Token oder Netzwerk. Die neue Zustimmung ersetzt die bisherige, und diese Rechnung wird damit bezahlt. Weitere Verlängerungen werden von der Wallet abgebucht, die signiert.',
    button: 'Neue Zustimmung signieren',
  },
  pay: {
    title: 'Nur diese Rechnung bezahlen',
    text: 'Mit einer beliebigen Wallet. Die nächste Verlängerung wird nach der bisherigen Zustimmung abgebucht und schlägt ohne Reparatur wieder fehl.',
    button: (amount) => `${amount} einmalig bezahlen`,
  },
  paid: {
    title: 'Die Verlängerung ist bezahlt',
    text: 'Ihr Abonnement läuft weiter. Sie können diese Seite schließen.',
  },
  ended: {
    title: 'Es gibt nichts zu reparieren',
    text: 'Die Rechnung ist geschlossen, oder das Abonnement wurde pausiert oder gekündigt. Bitte wenden Sie sich an den Händler.',
  },
  underWay: {
    title: 'Die Abbuchung läuft',
    text: 'Das dauert in der Regel einige Minuten. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
    button: 'Neu laden',
  },
  notFound: { title: 'Unbekannter Link', text: 'Die Adresse ist unvollständig oder ungültig.' },
  expired: { title: 'Der Link ist abgelaufen', text: 'Bitte fordern Sie beim Händler einen neuen an.' },
  conflict: {
    title: 'Im Moment nicht möglich',
    text: 'Das Abonnement hat sich soeben geändert. Öffnen Sie den Link erneut.',
  },
  tryLater: { title: 'Zu viele Anfragen', text: 'Versuchen Sie es in Kürze erneut.' },
  method: { title: 'Methode nicht erlaubt', text: 'Diese Adresse akzeptiert die Methode nicht.' },
};

export const renewalWords: Record<PageLanguage, RenewalWords> = { en: english, de: german };
