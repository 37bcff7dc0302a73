/** The words of the public page about liabilities. */
import type { PageLanguage } from '../page-language.ts';

export const liabilitiesWords = {
  en: {
    title: 'Proof of liabilities',
    intro:
      'This installation publishes what it owes to payers and merchants at a final block of each chain, together with the balance of its escrow contract at the same block.',
    none: 'No snapshot has been taken yet. The first one follows within a day.',
    unknown: 'There is no such snapshot. It may have been deleted after the retention period.',
    block: 'Block',
    hash: 'Block hash',
    time: 'Time of the block',
    escrow: 'Escrow contract',
    more: (amount: string) => `The escrow holds ${amount} more than is owed.`,
    less: (amount: string) => `The escrow holds ${amount} less than is owed.`,
    same: 'The escrow holds exactly what is owed.',
    held: 'Authorized, not captured',
    captured: 'Captured, not settled',
    disputed: 'Disputed',
    undelivered: 'Not delivered yet',
    total: 'Owed in total',
    balance: 'Held by the escrow',
    root: 'Root hash of the proof',
    verify: 'Check it yourself',
    verifyWords:
      'Download the snapshot and run the verification program with your own node. Merchants can find the proof that their payments are included in the dashboard, under Reports.',
    json: 'Snapshot as JSON',
    limits: 'What this does not prove',
    limitsWords:
      'The balance of the contract can include money of other gateways that use the same contract. Payments on chains without the contract, such as Solana, are not included. The contract alone enforces every payment; the proof shows that the books of this installation agree with it.',
    tryLater: 'Too many requests. Try again in a moment.',
    method: 'This address accepts only GET.',
  },
  de: {
    title: 'Nachweis der Verbindlichkeiten',
    intro:
      'Diese Installation veröffentlicht, was sie Zahlenden und Händlern zu einem endgültigen Block jeder Chain schuldet, und daneben, was ihr Treuhandvertrag im selben Block verwahrt hat.',
    none: 'Es gibt noch keinen Stand. Der erste folgt innerhalb eines Tages.',
    unknown: 'Diesen Stand gibt es nicht. Möglicherweise ist seine Aufbewahrungsfrist abgelaufen.',
    block: 'Block',
    hash: 'Hash des Blocks',
    time: 'Zeitpunkt des Blocks',
    escrow: 'Treuhandvertrag',
    more: (amount: string) => `Im Treuhandvertrag liegen ${amount} mehr, als geschuldet wird.`,
    less: (amount: string) => `Im Treuhandvertrag liegen ${amount} weniger, als geschuldet wird.`,
    same: 'Im Treuhandvertrag liegt genau das, was geschuldet wird.',
    held: 'Autorisiert, nicht eingezogen',
    captured: 'Eingezogen, nicht ausgezahlt',
    disputed: 'Im Streitfall',
    undelivered: 'Noch nicht zugestellt',
    total: 'Insgesamt geschuldet',
    balance: 'Im Treuhandvertrag verwahrt',
    root: 'Wurzel-Hash des Nachweises',
    verify: 'Selbst prüfen',
    verifyWords:
      'Laden Sie den Stand herunter und starten Sie das Prüfprogramm mit einem eigenen Node. Händler finden den Nachweis, dass ihre Zahlungen enthalten sind, im Dashboard unter Berichte.',
    json: 'Stand als JSON',
    limits: 'Was hiermit nicht nachgewiesen ist',
    limitsWords:
      'Im Guthaben des Vertrags kann Geld anderer Gateways enthalten sein, die denselben Vertrag nutzen. Zahlungen auf Chains ohne den Vertrag, etwa Solana, sind nicht enthalten. Der Vertrag setzt jede Zahlung selbst durch: Der Nachweis zeigt, dass die Bücher dieser Installation mit ihm übereinstimmen.',
    tryLater: 'Zu viele Anfragen. Versuchen Sie es gleich noch einmal.',
    method: 'Diese Adresse nimmt nur GET an.',
  },
} as const satisfies Record<PageLanguage, object>;
