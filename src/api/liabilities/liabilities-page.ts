/** The public page about liabilities. It has no scripts and one style sheet, and is readable at 320 px and in print. */
import { formatUnits } from 'viem';
import type { Registry } from '../../chains/registry.ts';
import { pageStyle } from '../../invoices/page/page-style.ts';
import type { PublishedSnapshot, PublishedTotal } from '../../payments/reports/liabilities/snapshot.ts';
import { escapeHtml } from '../../platform/mail/mail.ts';
import type { PageLanguage } from '../page-language.ts';
import { liabilitiesWords } from './liabilities-words.ts';

export const liabilitiesStyle = `${pageStyle}
h2{margin:2.5rem 0 1rem;font-size:1.3rem;overflow-wrap:anywhere}h3{margin:1.5rem 0 .25rem;font-size:1.1rem;overflow-wrap:anywhere}
section>section{border-top:1px solid var(--line)}
code{font-size:.85rem;overflow-wrap:anywhere}
.good{color:var(--good);font-weight:600}.bad{color:var(--warn);font-weight:700}
.balance{font-weight:700}
a{color:var(--deed)}
dl{font-variant-numeric:tabular-nums}
`;

type Shown = { registry: Pick<Registry, 'chain' | 'token'>; language: PageLanguage };

const MS = 1000;

export function liabilitiesPage(shown: Shown, snapshots: readonly PublishedSnapshot[]): string {
  const words = liabilitiesWords[shown.language];
  const body = `<header><h1>${words.title}</h1></header>
<p class="lead">${words.intro}</p>
${snapshots.length === 0 ? `<p>${words.none}</p>` : snapshots.map((one) => snapshotSection(shown, one)).join('\n')}
<section><h2>${words.verify}</h2><p>${words.verifyWords}</p></section>
<section><h2>${words.limits}</h2><p>${words.limitsWords}</p></section>`;
  return frame(shown.language, words.title, body);
}

/** A page with one sentence, shown when there is no snapshot to show. */
export function sentencePage(language: PageLanguage, sentence: string): string {
  const { title } = liabilitiesWords[language];
  return frame(language, title, `<header><h1>${title}</h1></header>\n<p class="lead">${sentence}</p>`);
}

function frame(language: PageLanguage, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${liabilitiesStyle}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function snapshotSection(shown: Shown, snapshot: PublishedSnapshot): string {
  const words = liabilitiesWords[shown.language];
  const { id, chainId, blockNumber, blockHash, blockTimestamp, escrow, tokens } = snapshot;
  const time = new Date(Number(blockTimestamp) * MS).toISOString();
  const name = shown.registry.chain(chainId)?.name ?? `Chain ${chainId}`;
  return `<section>
<h2>${escapeHtml(name)} (${chainId})</h2>
<dl>
${fact(words.block, String(blockNumber))}
<div><dt>${words.time}</dt><dd><time datetime="${time}">${time.replace('T', ' ').replace('.000Z', ' UTC')}</time></dd></div>
${fact(words.hash, blockHash, true)}
${fact(words.escrow, escrow, true)}
</dl>
${tokens.map((token) => tokenSection(shown, token)).join('\n')}
<p><a href="/liabilities/${id}">${words.json}</a></p>
</section>`;
}

function tokenSection(shown: Shown, token: PublishedTotal): string {
  const words = liabilitiesWords[shown.language];
  const name = shown.registry.token(token.tokenKey)?.symbol ?? token.tokenKey;
  const amount = (units: bigint) => `${printUnits(units, token.decimals ?? 0, shown.language)} ${name}`;
  const surplus = token.escrowBalance - token.total;
  const sentence =
    surplus === 0n ? words.same : surplus > 0n ? words.more(amount(surplus)) : words.less(amount(-surplus));
  return `<section>
<h3>${escapeHtml(name)}</h3>
<p class="${surplus < 0n ? 'bad' : 'good'}">${escapeHtml(sentence)}</p>
<dl>
${fact(words.total, amount(token.total))}
${fact(words.balance, amount(token.escrowBalance))}
${fact(words.held, amount(token.held))}
${fact(words.captured, amount(token.captured))}
${fact(words.disputed, amount(token.disputed))}
${fact(words.undelivered, amount(token.undelivered))}
${fact(words.root, token.rootHash, true)}
</dl>
</section>`;
}

function fact(term: string, value: string, isCode = false): string {
  const text = escapeHtml(value);
  return `<div><dt>${term}</dt><dd>${isCode ? `<code>${text}</code>` : text}</dd></div>`;
}

/** Prints all digits with the separators of the language, because a proof is exact. */
function printUnits(units: bigint, decimals: number, language: PageLanguage): string {
  const [whole = '0', fraction] = formatUnits(units, decimals).split('.');
  const grouped = new Intl.NumberFormat(language).format(BigInt(whole));
  return fraction === undefined ? grouped : `${grouped}${language === 'de' ? ',' : '.'}${fraction}`;
}
