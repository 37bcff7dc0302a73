/** Prints a journal for hledger or Beancount. Both check the same: each transaction sums to zero, and the closing balances hold. */
import type { ReportRequest } from '../report.ts';
import { type Assertion, dayOf, type JournalEntry, type Posting, printQuantity, type Quantity } from './journal.ts';
import type { JournalPart } from './read-journal.ts';

export const journalFormats = ['hledger', 'beancount'] as const;
export type JournalFormat = (typeof journalFormats)[number];

type Declared = { account: string; quantity: Quantity };
type Printer = {
  head(request: ReportRequest): string;
  account(name: string, date: string): string;
  commodity(quantity: Quantity, date: string): string;
  entry(entry: JournalEntry): string;
  assertion(assertion: Assertion): string;
};

/** Yields the text. Accounts and commodities are declared before their first use. */
export async function* printJournal(
  format: JournalFormat,
  request: ReportRequest,
  parts: AsyncIterable<JournalPart>,
): AsyncGenerator<string> {
  const printer = printers[format];
  const known = new Set<string>();
  const date = dayOf(request.period.from);
  const declare = ({ account, quantity }: Declared): string => {
    const declared: string[] = [];
    if (!known.has(quantity.commodity)) declared.push(printer.commodity(quantity, date));
    if (!known.has(account)) declared.push(printer.account(account, date));
    known.add(quantity.commodity).add(account);
    return declared.join('');
  };
  yield printer.head(request);
  for await (const { entries, assertions } of parts) {
    const declared = [...entries.flatMap(({ postings }) => postings), ...assertions].map(declare);
    yield [...declared, ...entries.map(printer.entry), ...assertions.map(printer.assertion)].join('');
  }
}

/** Fiat has more digits than cents, so that hledger compares costs exactly enough to notice a wrong amount of a token. */
const FIAT_DIGITS = '0'.repeat(12);
const fiats = ['EUR', 'USD'];

const title = ({ scope, period }: ReportRequest) =>
  `Ledger of app ${scope.appId} from ${period.from.toISOString()} until before ${period.to.toISOString()}`;

const hledger: Printer = {
  head: (request) =>
    [
      `; ${title(request)}\ndecimal-mark .\n`,
      ...fiats.map((currency) => `commodity 1000.${FIAT_DIGITS} ${currency}\n`),
    ].join(''),
  account: (name) => `account ${name}\n`,
  commodity: ({ commodity, decimals }) => `commodity 1000.${'0'.repeat(decimals)} "${commodity}"\n`,
  entry: ({ date, description, tags, postings }) =>
    [
      `\n${date} * ${description}\n`,
      ...tags.map(([name, value]) => `    ; ${name}: ${value}\n`),
      ...postings.map((posting) => hledgerPosting(posting)),
    ].join(''),
  assertion: ({ date, account, quantity }) =>
    `\n${date} * CLOSING BALANCE\n    ${account}  0 "${quantity.commodity}" = ${printQuantity(quantity)} "${quantity.commodity}"\n`,
};

function hledgerPosting({ account, quantity, price }: Posting): string {
  const cost = price ? ` ${price.of === 'UNIT' ? '@' : '@@'} ${price.amount} ${price.currency}` : '';
  return `    ${account}  ${printQuantity(quantity)} "${quantity.commodity}"${cost}\n`;
}

/** Beancount computes costs with 28 digits. Token quantities have to be exact. */
const COST_TOLERANCE = `0.${'0'.repeat(11)}1`;

const beancount: Printer = {
  head: (request) =>
    [
      `;; ${title(request)}\n`,
      ...fiats.map((currency) => `option "inferred_tolerance_default" "${currency}:${COST_TOLERANCE}"\n`),
    ].join(''),
  account: (name, date) => `${date} open ${name}\n`,
  commodity: ({ commodity }, date) => `${date} commodity ${commodity}\n`,
  entry: ({ date, description, tags, postings }) => {
    const links = tags.flatMap(([name, value]) => (name === 'payment' || name === 'tx' ? [` ^${name}-${value}`] : []));
    return [
      `\n${date} * "${description}"${links.join('')}\n`,
      ...tags.map(([name, value]) => `  ${name}: "${value}"\n`),
      ...postings.map((posting) => beancountPosting(posting)),
    ].join('');
  },
  assertion: ({ date, account, quantity }) =>
    `\n${date} balance ${account}  ${printQuantity(quantity)} ~ 0 ${quantity.commodity}\n`,
};

function beancountPosting({ account, quantity, price }: Posting): string {
  const cost = price ? ` ${price.of === 'UNIT' ? '@' : '@@'} ${price.amount} ${price.currency}` : '';
  return `  ${account}  ${printQuantity(quantity)} ${quantity.commodity}${cost}\n`;
}

const printers: { [Format in JournalFormat]: Printer } = { hledger, beancount };
