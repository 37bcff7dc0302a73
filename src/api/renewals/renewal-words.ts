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
  allow: {
    title: string;
    /** How much the payer approves with the wallet, and what limits it. */
    text: (approval: string) => string;
    /** For wallets that this browser does not have. */
    manual: (needed: string, network: string, escrow: string) => string;
    button: string;
    approve: (approval: string, wallet: string) => string;
    nameless: string;
    /** What the page shows while the wallet's response is pending, and when it fails. */
    states: Record<WalletState, string>;
  };
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

export const walletStates = [
  'CONNECTING',
  'SENDING',
  'WAITING',
  'DONE',
  'REJECTED',
  'PENDING',
  'NO_GAS',
  'CHAIN_UNKNOWN',
  'LOST',
  'FAILED',
  'OTHER_ACCOUNT',
  'REVERTED',
  'SLOW',
] as const;
export type WalletState = (typeof walletStates)[number];

const english: RenewalWords = {
  title: 'Your renewal payment failed',
  wallet: 'Wallet',
  network: 'Network',
  plan: 'Subscription',
  due: 'Amount due',
  invoice: 'Invoice',
  needed: 'Required at the current price',
  cap: 'Spending limit per period',
  allowance: 'Token approval',
  balance: 'Wallet balance',
  cause: (code, figures) => {
    switch (code) {
      case 'CAP_EXCEEDED':
        return figures
          ? `The renewal costs ${figures.needed}. This exceeds your spending limit of ${figures.cap} per period.`
          : 'The renewal exceeds your spending limit per period.';
      case 'INSUFFICIENT_ALLOWANCE':
        return figures
          ? `The renewal costs ${figures.needed}, but the token approval of your wallet is only ${figures.allowance}.`
          : 'The token approval of your wallet is too low for the renewal.';
      case 'INSUFFICIENT_BALANCE':
        return figures
          ? `The renewal costs ${figures.needed}, but the balance of your wallet is only ${figures.balance}.`
          : 'The balance of your wallet is too low for the renewal.';
      case 'CONSENT_REVOKED':
        return 'You revoked the recurring payment with your wallet.';
      case 'PERMIT_EXPIRED':
        return 'Your signature expired before it was used.';
      case 'WALLET_REMOVED':
        return 'The wallet that pays for this subscription was removed from your account.';
      case 'CONSENT_MISSING':
        return 'There is no valid agreement for this recurring payment.';
      default:
        return 'The network rejected the charge. If your wallet is a smart account with new owners, sign a new agreement.';
    }
  },
  repaired: 'Your wallet can pay for the renewal now.',
  unknown: 'The network or the price is currently unavailable. This is the reason why the last attempt failed.',
  retry: {
    title: 'Retry the payment',
    text: 'Your wallet is charged for this renewal now, and for later renewals as before.',
    button: 'Retry payment',
  },
  topUp: {
    title: 'Add funds to your wallet',
    text: (missing, network, wallet) => `Send at least ${missing} on ${network} to ${wallet}. Then check again.`,
    button: 'Check again',
  },
  allow: {
    title: 'Increase the token approval',
    text: (approval) =>
      `Approve ${approval} in total with your wallet. Your agreement still limits each charge, and the renewal is charged as soon as the approval is confirmed.`,
    manual: (needed, network, escrow) =>
      `Without a wallet in this browser: approve at least ${needed} on ${network} for the escrow contract ${escrow}, then check again.`,
    button: 'Check again',
    approve: (approval, wallet) => `Approve ${approval} with ${wallet}`,
    nameless: 'your wallet',
    states: {
      CONNECTING: 'Waiting for your wallet',
      SENDING: 'Confirm the approval in your wallet',
      WAITING: 'Waiting for confirmation',
      DONE: 'Approval confirmed. The renewal is being charged.',
      REJECTED: 'You rejected the request in your wallet. Nothing was changed.',
      PENDING: 'Your wallet has an open request. Confirm or reject it first.',
      NO_GAS: 'Your wallet does not have enough funds for the network fee.',
      CHAIN_UNKNOWN: 'Your wallet does not support this network. Add it in your wallet and try again.',
      LOST: 'The connection to your wallet was lost. Reload this page and try again.',
      FAILED: 'Your wallet could not complete the request. Try again.',
      OTHER_ACCOUNT: 'Another account is selected. Select the account that pays for the subscription in your wallet.',
      REVERTED: 'The transaction failed. Only the network fee was charged.',
      SLOW: 'The approval was sent but is not confirmed yet. Check again in a few minutes.',
    },
  },
  consent: {
    title: 'Sign a new agreement',
    text: 'Use the same wallet or another wallet, token or network. The new agreement replaces the previous one. This invoice and later renewals are charged to the wallet that you sign with.',
    button: 'Sign new agreement',
  },
  pay: {
    title: 'Pay only this invoice',
    text: 'Use any wallet. The next renewal is charged under your current agreement and can fail again.',
    button: (amount) => `Pay ${amount} once`,
  },
  paid: { title: 'Renewal paid', text: 'Your subscription continues. You can close this page.' },
  ended: {
    title: 'No payment is due',
    text: 'The invoice is closed, or the subscription was paused or cancelled. Contact the merchant if you have questions.',
  },
  underWay: {
    title: 'Your payment is being processed',
    text: 'This usually takes a few minutes. Reload this page to see the result.',
    button: 'Reload',
  },
  notFound: { title: 'Link not found', text: 'The link is incomplete or invalid. Ask the merchant for a new link.' },
  expired: { title: 'This link has expired', text: 'Ask the merchant for a new link.' },
  conflict: { title: 'Please open the link again', text: 'The subscription has just changed.' },
  tryLater: { title: 'Too many requests', text: 'Please try again in a moment.' },
  method: { title: 'Request not supported', text: 'Open the link in your email again.' },
};

const german: RenewalWords = {
  title: 'Die Zahlung für Ihre Verlängerung ist fehlgeschlagen',
  wallet: 'Wallet',
  network: 'Netzwerk',
  plan: 'Abonnement',
  due: 'Offener Betrag',
  invoice: 'Rechnung',
  needed: 'Erforderlich zum aktuellen Kurs',
  cap: 'Höchstbetrag pro Zeitraum',
  allowance: 'Token-Freigabe',
  balance: 'Guthaben der Wallet',
  cause: (code, figures) => {
    switch (code) {
      case 'CAP_EXCEEDED':
        return figures
          ? `Die Verlängerung kostet ${figures.needed}. Das übersteigt Ihren Höchstbetrag von ${figures.cap} pro Zeitraum.`
          : 'Die Verlängerung übersteigt Ihren Höchstbetrag pro Zeitraum.';
      case 'INSUFFICIENT_ALLOWANCE':
        return figures
          ? `Die Verlängerung kostet ${figures.needed}, die Token-Freigabe Ihrer Wallet beträgt aber nur ${figures.allowance}.`
          : 'Die Token-Freigabe Ihrer Wallet reicht für die Verlängerung nicht aus.';
      case 'INSUFFICIENT_BALANCE':
        return figures
          ? `Die Verlängerung kostet ${figures.needed}, das Guthaben Ihrer Wallet beträgt aber nur ${figures.balance}.`
          : 'Das Guthaben Ihrer Wallet reicht für die Verlängerung nicht aus.';
      case 'CONSENT_REVOKED':
        return 'Sie haben die wiederkehrende Zahlung mit Ihrer Wallet widerrufen.';
      case 'PERMIT_EXPIRED':
        return 'Ihre Signatur ist abgelaufen, bevor sie verwendet wurde.';
      case 'WALLET_REMOVED':
        return 'Die Wallet, mit der dieses Abonnement bezahlt wird, wurde aus Ihrem Kundenkonto entfernt.';
      case 'CONSENT_MISSING':
        return 'Für diese wiederkehrende Zahlung liegt keine gültige Zustimmung vor.';
      default:
        return 'Das Netzwerk hat die Abbuchung abgelehnt. Falls Ihre Wallet ein Smart Account mit neuen Inhabern ist, signieren Sie eine neue Zustimmung.';
    }
  },
  repaired: 'Ihre Wallet kann die Verlängerung jetzt bezahlen.',
  unknown:
    'Das Netzwerk oder der Kurs ist derzeit nicht verfügbar. Angezeigt wird der Grund, aus dem der letzte Versuch fehlgeschlagen ist.',
  retry: {
    title: 'Zahlung wiederholen',
    text: 'Diese Verlängerung wird jetzt von Ihrer Wallet abgebucht, spätere Verlängerungen wie bisher.',
    button: 'Zahlung wiederholen',
  },
  topUp: {
    title: 'Wallet aufladen',
    text: (missing, network, wallet) =>
      `Senden Sie mindestens ${missing} auf ${network} an ${wallet}. Prüfen Sie danach erneut.`,
    button: 'Erneut prüfen',
  },
  allow: {
    title: 'Token-Freigabe erhöhen',
    text: (approval) =>
      `Geben Sie mit Ihrer Wallet insgesamt ${approval} frei. Ihre Zustimmung begrenzt weiterhin jede Abbuchung. Die Verlängerung wird abgebucht, sobald die Freigabe bestätigt ist.`,
    manual: (needed, network, escrow) =>
      `Ohne Wallet in diesem Browser: Geben Sie auf ${network} mindestens ${needed} für den Treuhandvertrag ${escrow} frei und prüfen Sie danach erneut.`,
    button: 'Erneut prüfen',
    approve: (approval, wallet) => `${approval} mit ${wallet} freigeben`,
    nameless: 'Ihrer Wallet',
    states: {
      CONNECTING: 'Warten auf Ihre Wallet',
      SENDING: 'Bestätigen Sie die Freigabe in Ihrer Wallet',
      WAITING: 'Warten auf Bestätigung',
      DONE: 'Freigabe bestätigt. Die Verlängerung wird abgebucht.',
      REJECTED: 'Sie haben die Anfrage in Ihrer Wallet abgelehnt. Es wurde nichts geändert.',
      PENDING: 'In Ihrer Wallet ist noch eine Anfrage offen. Bestätigen oder lehnen Sie sie zuerst ab.',
      NO_GAS: 'Das Guthaben Ihrer Wallet reicht nicht für die Netzwerkgebühr.',
      CHAIN_UNKNOWN:
        'Ihre Wallet unterstützt dieses Netzwerk nicht. Fügen Sie es in Ihrer Wallet hinzu und versuchen Sie es erneut.',
      LOST: 'Die Verbindung zu Ihrer Wallet ist unterbrochen. Laden Sie die Seite neu und versuchen Sie es erneut.',
      FAILED: 'Ihre Wallet konnte die Anfrage nicht ausführen. Versuchen Sie es erneut.',
      OTHER_ACCOUNT:
        'Ein anderes Konto ist ausgewählt. Wählen Sie in Ihrer Wallet das Konto, mit dem das Abonnement bezahlt wird.',
      REVERTED: 'Die Transaktion ist fehlgeschlagen. Es wurde nur die Netzwerkgebühr abgebucht.',
      SLOW: 'Die Freigabe wurde gesendet, ist aber noch nicht bestätigt. Prüfen Sie in einigen Minuten erneut.',
    },
  },
  consent: {
    title: 'Neue Zustimmung signieren',
    text: 'Verwenden Sie dieselbe Wallet oder eine andere Wallet, einen anderen Token oder ein anderes Netzwerk. Die neue Zustimmung ersetzt die bisherige. Diese Rechnung und spätere Verlängerungen werden von der Wallet abgebucht, mit der Sie signieren.',
    button: 'Neue Zustimmung signieren',
  },
  pay: {
    title: 'Nur diese Rechnung bezahlen',
    text: 'Verwenden Sie eine beliebige Wallet. Die nächste Verlängerung wird nach Ihrer bisherigen Zustimmung abgebucht und kann erneut fehlschlagen.',
    button: (amount) => `${amount} einmalig bezahlen`,
  },
  paid: {
    title: 'Verlängerung bezahlt',
    text: 'Ihr Abonnement läuft weiter. Sie können diese Seite schließen.',
  },
  ended: {
    title: 'Es ist keine Zahlung fällig',
    text: 'Die Rechnung ist geschlossen, oder das Abonnement wurde pausiert oder gekündigt. Bei Fragen wenden Sie sich an den Händler.',
  },
  underWay: {
    title: 'Ihre Zahlung wird verarbeitet',
    text: 'Das dauert in der Regel einige Minuten. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
    button: 'Neu laden',
  },
  notFound: {
    title: 'Link nicht gefunden',
    text: 'Der Link ist unvollständig oder ungültig. Bitten Sie den Händler um einen neuen Link.',
  },
  expired: { title: 'Dieser Link ist abgelaufen', text: 'Bitten Sie den Händler um einen neuen Link.' },
  conflict: { title: 'Bitte öffnen Sie den Link erneut', text: 'Das Abonnement hat sich soeben geändert.' },
  tryLater: { title: 'Zu viele Anfragen', text: 'Bitte versuchen Sie es in Kürze erneut.' },
  method: { title: 'Anfrage nicht unterstützt', text: 'Öffnen Sie den Link in Ihrer E-Mail erneut.' },
};

export const renewalWords: Record<PageLanguage, RenewalWords> = { en: english, de: german };
