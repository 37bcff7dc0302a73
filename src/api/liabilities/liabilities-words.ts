/** The words of the public page about liabilities. */
import type { PageLanguage } from '../page-language.ts';

export const liabilitiesWords = {
  en: {
    title: 'Proof of liabilities',
    intro:
      'This page shows what this installation owes to customers and merchants at a finalized block of each network, and the balance of its escrow contract at the same block.',
    none: 'No snapshot yet. The first snapshot is published within a day.',
    unknown: 'Snapshot not found. It may have been deleted after the retention period.',
    block: 'Block',
    hash: 'Block hash',
    time: 'Block time',
    escrow: 'Escrow contract',
    more: (amount: string) => `The escrow contract holds ${amount} more than the amount owed.`,
    less: (amount: string) => `The escrow contract holds ${amount} less than the amount owed.`,
    same: 'The escrow contract holds exactly the amount owed.',
    held: 'Authorized, not captured',
    captured: 'Captured, not settled',
    disputed: 'Disputed',
    undelivered: 'Available to collect',
    total: 'Total owed',
    balance: 'Balance of the escrow contract',
    root: 'Merkle root',
    verify: 'Verify it yourself',
    verifyWords:
      'Download the snapshot and run the verification program with your own node. Merchants can download the proof that their payments are included in the dashboard under Reports.',
    json: 'Snapshot as JSON',
    limits: 'What this does not prove',
    limitsWords:
      'The balance of the contract can include funds of other gateways that use the same contract. Payments on networks without the contract, such as Solana, are not included. The contract itself enforces every payment; the proof shows that the books of this installation match it.',
    tryLater: 'Too many requests. Please try again in a moment.',
    method: 'This request is not supported. Open the page in a browser.',
  },
  de: {
    title: 'Nachweis der Verbindlichkeiten',
    intro:
      'Diese Seite zeigt, was diese Installation Kunden und Händlern zu einem finalisierten Block jedes Netzwerks schuldet, und das Guthaben ihres Treuhandvertrags im selben Block.',
    none: 'Noch kein Stand. Der erste Stand wird innerhalb eines Tages veröffentlicht.',
    unknown: 'Stand nicht gefunden. Möglicherweise ist seine Aufbewahrungsfrist abgelaufen.',
    block: 'Block',
    hash: 'Block-Hash',
    time: 'Blockzeit',
    escrow: 'Treuhandvertrag',
    more: (amount: string) => `Das Guthaben des Treuhandvertrags liegt um ${amount} über dem geschuldeten Betrag.`,
    less: (amount: string) => `Das Guthaben des Treuhandvertrags liegt um ${amount} unter dem geschuldeten Betrag.`,
    same: 'Das Guthaben des Treuhandvertrags entspricht genau dem geschuldeten Betrag.',
    held: 'Autorisiert, nicht eingezogen',
    captured: 'Eingezogen, nicht ausgezahlt',
    disputed: 'Im Streitfall',
    undelivered: 'Zum Abholen verfügbar',
    total: 'Insgesamt geschuldet',
    balance: 'Guthaben des Treuhandvertrags',
    root: 'Merkle-Wurzel',
    verify: 'Selbst prüfen',
    verifyWords:
      'Laden Sie den Stand herunter und starten Sie das Prüfprogramm mit Ihrem eigenen Node. Händler können den Nachweis, dass ihre Zahlungen enthalten sind, im Dashboard unter „Berichte“ herunterladen.',
    json: 'Stand als JSON',
    limits: 'Was dies nicht nachweist',
    limitsWords:
      'Das Guthaben des Vertrags kann Geld anderer Gateways enthalten, die denselben Vertrag nutzen. Zahlungen in Netzwerken ohne den Vertrag, etwa Solana, sind nicht enthalten. Der Vertrag selbst setzt jede Zahlung durch; der Nachweis zeigt, dass die Bücher dieser Installation mit ihm übereinstimmen.',
    tryLater: 'Zu viele Anfragen. Bitte versuchen Sie es in Kürze erneut.',
    method: 'Diese Anfrage wird nicht unterstützt. Öffnen Sie die Seite in einem Browser.',
  },
} as const satisfies Record<PageLanguage, object>;
