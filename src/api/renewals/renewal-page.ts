/**
 * The page on which a payer repairs a failed renewal: one style sheet, one script of its own where a wallet can grant an allowance, and
 * safe for names with any content.
 */
import { pageStyle } from '../../invoices/page/page-style.ts';
import { escapeHtml } from '../../platform/mail/mail.ts';
import { printUnits } from '../../prices/quote.ts';
import {
  approvalFor,
  type FailedInvoice,
  type Figures,
  type RenewalRepair,
} from '../../subscriptions/repair/read-repair.ts';
import type { PageLanguage } from '../page-language.ts';
import { type CauseFigures, type RenewalWords, renewalWords } from './renewal-words.ts';

/** The forms of the page, with the target of each. */
export const repairActions = ['retry', 'consent', 'pay'] as const;
export type RepairAction = (typeof repairActions)[number];

export const renewalStyle = `${pageStyle}h2{margin:0 0 .25rem;font-size:1.1rem}section{margin-top:1.75rem;padding-top:1.5rem;border-top:1px solid var(--line)}section p{margin:0;overflow-wrap:anywhere}section button{margin-top:1rem}button.quiet{background:none;color:var(--deed);border:1px solid var(--deed)}.note{color:var(--soft)}a.button{display:block;margin-top:1.5rem;padding:.9rem;border-radius:8px;background:var(--deed);color:var(--paper);font-weight:700;text-align:center;text-decoration:none}a.button:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[data-approval]:has([data-wallets]>button)~section button{background:none;color:var(--deed);border:1px solid var(--deed)}section p.note{margin-top:1rem}.state{color:var(--warn);font-weight:600}.state:empty{display:none}.state.calm{color:var(--soft)}section p.state{margin-top:1rem}button:disabled{opacity:.6;cursor:default}
`;

/** What `wallet_addEthereumChain` needs to know of a chain. `rpcUrl` is null without a node for browsers. */
export type WalletNetwork = {
  chainId: number;
  name: string;
  symbol: string;
  decimals: number;
  rpcUrl: string | null;
  explorerUrl: string | null;
};

type Shown = {
  language: PageLanguage;
  appName: string;
  planName: string;
  invoice: FailedInvoice;
  repair: RenewalRepair;
  /** The chain on which the subscription is charged, as a wallet adds it. */
  network: WalletNetwork | null;
  /** The script with which a wallet of the browser grants the allowance; null if the pages were not built. */
  script: string | null;
  /** The path and query of the page, and of its forms. */
  self: string;
  actionOf: (action: RepairAction) => string;
};

export function renewalPage(shown: Shown): string {
  const { language, appName, repair } = shown;
  const words = renewalWords[language];
  switch (repair.kind) {
    case 'PAID':
    case 'ENDED': {
      const { title, text } = repair.kind === 'PAID' ? words.paid : words.ended;
      return frame(language, { appName, title, body: paragraph(text) });
    }
    case 'UNDER_WAY': {
      const { title, text, button } = words.underWay;
      const link = `<a class="button" href="${escapeHtml(shown.self)}">${escapeHtml(button)}</a>`;
      return frame(language, { appName, title, body: `${paragraph(text)}${link}` });
    }
    case 'OPEN':
      return frame(language, { appName, title: words.title, body: openBody(shown, repair, words) });
    default:
      return repair satisfies never;
  }
}

/** A page with a sentence only. */
export function sentencePage(language: PageLanguage, sentence: { title: string; text: string }): string {
  return frame(language, { appName: null, title: sentence.title, body: paragraph(sentence.text) });
}

type OpenRepair = Extract<RenewalRepair, { kind: 'OPEN' }>;

function openBody(shown: Shown, { cause, figures }: OpenRepair, words: RenewalWords): string {
  const printed = figures && printFigures(figures, shown.language);
  const why = cause === null ? words.repaired : words.cause(cause.code, printed);
  const note = cause !== null && figures === null && cause.code === 'CHARGE_FAILED' ? noteOf(words.unknown) : '';
  const ways = [
    lasting(shown, { cause, figures }, words),
    consentWay(shown, words, cause !== null),
    payWay(shown, words),
  ];
  return `${paragraph(why)}${note}${facts(shown, figures, words)}${ways.join('')}`;
}

/** What repairs the present consent; empty if only a new one does. */
function lasting(shown: Shown, { cause, figures }: Omit<OpenRepair, 'kind'>, words: RenewalWords): string {
  const retry = { action: shown.actionOf('retry'), isQuiet: cause !== null };
  if (cause === null) return way({ ...words.retry, ...retry });
  if (figures === null) return '';
  const network = shown.network?.name ?? '';
  const print = (amount: bigint) => printAmount(amount, figures.token, shown.language);
  if (cause.code === 'INSUFFICIENT_BALANCE') {
    const { title, text, button } = words.topUp;
    const missing = print(figures.needed - figures.balance);
    return way({ ...retry, title, text: text(missing, network, figures.walletAddress), button });
  }
  // An allowance also replaces a permit that expired before it was used.
  if (cause.code === 'INSUFFICIENT_ALLOWANCE' || cause.code === 'PERMIT_EXPIRED') {
    return allowWay(shown, { figures, needed: print(figures.needed), print }, words.allow);
  }
  return '';
}

/**
 * The button for each wallet is added by the script, which sends what is in `data-approval` and then submits the form. Without a script
 * or a wallet, the sentence describes what to approve, and the form checks again.
 */
function allowWay(
  shown: Shown,
  { figures, needed, print }: { figures: Figures; needed: string; print: (amount: bigint) => string },
  { title, text, manual, button, approve, nameless, states }: RenewalWords['allow'],
): string {
  const { amount, transactions } = approvalFor(figures);
  const { network, script } = shown;
  const words = { approve: approve(print(amount), WALLET_NAME), walletName: WALLET_NAME, nameless, states };
  const data = JSON.stringify({ wallet: figures.walletAddress, network, transactions, words });
  const loaded =
    script === null || network === null ? '' : `<script type="module" src="${escapeHtml(script)}"></script>`;
  return `<section data-approval="${escapeHtml(data)}"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(text(print(amount)))}</p>
<div data-wallets></div><p class="state" role="status"></p>
<p class="note">${escapeHtml(manual(needed, network?.name ?? '', figures.escrow))}</p>
<form method="post" action="${escapeHtml(shown.actionOf('retry'))}"><button type="submit" class="quiet">${escapeHtml(button)}</button></form></section>${loaded}`;
}

/** Replaced by the name of each wallet. */
const WALLET_NAME = '{wallet}';

function consentWay(shown: Shown, words: RenewalWords, isNeeded: boolean): string {
  return way({ ...words.consent, action: shown.actionOf('consent'), isQuiet: !isNeeded });
}

function payWay(shown: Shown, words: RenewalWords): string {
  const { title, text, button } = words.pay;
  return way({ title, text, button: button(due(shown)), action: shown.actionOf('pay'), isQuiet: true });
}

function facts({ planName, invoice, network, ...shown }: Shown, figures: Figures | null, words: RenewalWords): string {
  const printed = figures && printFigures(figures, shown.language);
  const rows: [string, string | null | undefined][] = [
    [words.plan, planName],
    [words.due, due({ invoice, ...shown })],
    [words.invoice, invoice.invoiceNumber],
    [words.wallet, invoice.subscription?.consent?.walletAddress],
    [words.network, network?.name],
    [words.needed, printed?.needed],
    [words.cap, printed?.cap],
    [words.allowance, printed?.allowance],
    [words.balance, printed?.balance],
  ];
  const shownRows = rows.flatMap(([term, value]) =>
    value ? [`<div><dt>${escapeHtml(term)}</dt><dd>${escapeHtml(value)}</dd></div>`] : [],
  );
  return `<dl>${shownRows.join('\n')}</dl>`;
}

function due({ invoice, language }: Pick<Shown, 'invoice' | 'language'>): string {
  // A string is formatted exactly, with all of its digits.
  return new Intl.NumberFormat(localeOf(language), { style: 'currency', currency: invoice.currency }).format(
    invoice.total.toFixed(2) as Intl.StringNumericLiteral,
  );
}

/** More decimals than any token has. */
const TOKEN_DIGITS = 77;

/** Prints all digits in the number format of the language. */
function printAmount(amount: bigint, { decimals, symbol }: Figures['token'], language: PageLanguage): string {
  const plain = new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: TOKEN_DIGITS });
  return `${plain.format(printUnits(amount, decimals) as Intl.StringNumericLiteral)} ${symbol}`;
}

const localeOf = (language: PageLanguage) => (language === 'de' ? 'de-DE' : 'en-US');

/** An allowance without a limit is a number that no reader needs to see. */
const UNLIMITED = 2n ** 128n;

function printFigures({ token, needed, cap, allowance, balance }: Figures, language: PageLanguage): CauseFigures {
  const print = (amount: bigint) => (amount >= UNLIMITED ? '∞' : printAmount(amount, token, language));
  return { needed: print(needed), cap: print(cap), allowance: print(allowance), balance: print(balance) };
}

function way(shown: { title: string; text: string; button: string; action: string; isQuiet: boolean }): string {
  const { title, text, button, action, isQuiet } = shown;
  return `<section><h2>${escapeHtml(title)}</h2><p>${escapeHtml(text)}</p>
<form method="post" action="${escapeHtml(action)}"><button type="submit"${isQuiet ? ' class="quiet"' : ''}>${escapeHtml(button)}</button></form></section>`;
}

function paragraph(text: string): string {
  return `<p class="lead">${escapeHtml(text)}</p>`;
}

function noteOf(text: string): string {
  return `<p class="note">${escapeHtml(text)}</p>`;
}

function frame(
  language: PageLanguage,
  { appName, title, body }: { appName: string | null; title: string; body: string },
): string {
  const from = appName === null ? '' : `<p class="from">${escapeHtml(appName)}</p>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(appName === null ? title : `${title} · ${appName}`)}</title>
<style>${renewalStyle}</style>
</head>
<body>
<main>
<header><div>${from}<h1>${escapeHtml(title)}</h1></div></header>
${body}
</main>
</body>
</html>
`;
}
