/** The few words of the element itself. Everything else is written by the payment page. */
export type Words = { title: string; close: string; blocked: string; open: string };

const english: Words = {
  title: 'Checkout',
  close: 'Close',
  blocked: 'The checkout could not be shown here.',
  open: 'Open the payment page',
};

const german: Words = {
  title: 'Bezahlen',
  close: 'Schließen',
  blocked: 'Der Bezahlvorgang kann hier nicht angezeigt werden.',
  open: 'Bezahlseite öffnen',
};

export function wordsOf(locale: string | undefined): Words {
  return (locale ?? globalThis.navigator?.language)?.toLowerCase().startsWith('de') ? german : english;
}
