/** The texts of the pages: every language has all keys of English with the same placeholders, and every used key exists. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownStatuses } from '../../web/src/ui/state/tones.ts';
import { serverTexts } from './server-texts.ts';

const root = resolve(import.meta.dirname, '../../web/src');
const languages = ['en', 'de'];
const areas = globSync('words/en/*.json', { cwd: root }).map((file) => basename(file, '.json'));

function flat(value: unknown, path = ''): [key: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is neither text nor a group.`);
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`));
}

function wordsOf(language: string, area: string): Map<string, string> {
  return new Map(flat(JSON.parse(readFileSync(join(root, `words/${language}/${area}.json`), 'utf8'))));
}

const blanks = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map((match) => match[1]).sort();
const stem = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');
const english = new Map(
  areas.flatMap((area) => [...wordsOf('en', area)].map(([key, text]) => [`${area}.${key}`, text])),
);
const stems = new Set([...english.keys()].map(stem));

describe.each(languages.filter((language) => language !== 'en'))('the texts in %s', (language) => {
  it('have the same areas as English', () => {
    expect(
      globSync(`words/${language}/*.json`, { cwd: root })
        .map((file) => basename(file, '.json'))
        .sort(),
    ).toEqual([...areas].sort());
  });

  it.each(areas)('of %s have the keys and placeholders of English, and their own plurals', (area) => {
    const reference = wordsOf('en', area);
    const words = wordsOf(language, area);
    expect([...new Set([...words.keys()].map(stem))].sort()).toEqual(
      [...new Set([...reference.keys()].map(stem))].sort(),
    );
    const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, text] of words) {
      expect(text.trim(), key).not.toBe('');
      const isPlural = stem(key) !== key && words.has(`${stem(key)}_other`);
      if (isPlural) {
        for (const plural of plurals) expect([...words.keys()], key).toContain(`${stem(key)}_${plural}`);
      }
      // "one" may write its number as a word.
      const original = reference.get(key) ?? reference.get(`${stem(key)}_other`) ?? reference.get(stem(key)) ?? '';
      const needed = isPlural ? blanks(original).filter((blank) => blank !== 'count') : blanks(original);
      expect(isPlural ? blanks(text).filter((blank) => blank !== 'count') : blanks(text), key).toEqual(needed);
    }
  });
});

/** Words and patterns that are unusual in payment products. CONTRIBUTING.md explains why. Each language has its own. */
const avoided: Record<string, { shape: RegExp; instead: string }[]> = {
  en: [
    { shape: /\b(nobody|whoever|anybody)\b/i, instead: 'no one, anyone, or the party' },
    { shape: /\b(told|tells?|telling)\b/i, instead: 'notify, send, show' },
    { shape: /\b(make|made) (the|an?|your) (?!payment|change)/i, instead: 'create' },
    { shape: /\bthe \w+ is (there|gone|back)\b/i, instead: 'X created, X deleted, X restored' },
    { shape: /\bspeaks? (for|against)\b/i, instead: 'the fact' },
    { shape: /\bwhat (it|he|she) takes\b|\bnothing fits\b|\bno \w+ fits\b/i, instead: 'Pricing; No results' },
    {
      shape: /\b(by itself|for good|at once|once more|any more|again and again)\b/i,
      instead: 'automatically; immediately; no longer',
    },
    { shape: /\be-mail/i, instead: 'email' },
    { shape: /\bIds?\b/, instead: 'ID' },
    { shape: /\b(basis points|bps)\b/i, instead: 'percent' },
    { shape: /\b(try|tries) (to charge|\d)|\bnext try\b|\bevery try\b/i, instead: 'attempt' },
    { shape: /\b(keys|wallets) that (send|sign)\b|\bsaid\b|\bsays\b/i, instead: 'a noun' },
    { shape: /\bpayers?\b/i, instead: 'customer; you, on pages for customers' },
    { shape: /\bgiven? (up|back)\b|\bgiv(es?|ing) back\b/i, instead: 'failed; refund, return' },
    { shape: /\bfor who(m)?\b|\bwhom\b/i, instead: 'Customer' },
    { shape: /\b\w+, please\.$/i, instead: 'a sentence: Enter a whole number' },
    { shape: /\b(?!INV|EIP|ERC)[A-Z]{2,6}-\d{2,}\b/, instead: 'a token as people write it: USDC on Base' },
  ],
  de: [
    { shape: /\b(du|dir|dich|dein(e[rnms]?)?|euch|euer|eure[rnms]?)\b/i, instead: 'Sie' },
    { shape: /\bZahl(er|ers|ern|ende[rnms]?)\b/, instead: 'Kunde; Sie, auf Seiten für Kunden' },
    { shape: /\b(Reklamation|Beanstandung|Einspruch)(en|s)?\b/, instead: 'Streitfall' },
    { shape: /\bunter(schr(eib|ieb)|zeichn)\w*/i, instead: 'signieren' },
    { shape: /\bUnterschrift(en)?\b/, instead: 'Signatur' },
    { shape: /\bdas Wallet\b/i, instead: 'die Wallet' },
    { shape: /\b(Chains?|Ketten?)\b(?!-)/, instead: 'Netzwerk' },
    { shape: /\bvon selbst\b|\bvon Hand\b/i, instead: 'automatisch; manuell' },
    { shape: /\bpasst (dazu|zu)\b|\bniemand\b/i, instead: 'Keine Ergebnisse' },
    { shape: /\bBasispunkte?n?\b/, instead: 'Prozent' },
    { shape: /\b(Der|Die|Das) \w+ ist (angelegt|da|weg)\b/, instead: 'X erstellt' },
    { shape: /\bspricht (da)?gegen\b|\blaut \{\{/i, instead: 'die Tatsache' },
  ],
};

function badStyle(language: string, texts: readonly (readonly [where: string, text: string])[]): string[] {
  return texts.flatMap(([where, text]) =>
    (avoided[language] ?? [])
      .filter(({ shape }) => shape.test(text.replaceAll(/\{\{[^}]*\}\}/g, '')))
      .map(({ instead }) => `${where}: "${text}" (instead: ${instead})`),
  );
}

describe.each(['en', 'de'] as const)('the style of the texts in %s', (language) => {
  it('avoids unusual terms for payment products in the pages', () => {
    const texts = areas.flatMap((area) =>
      [...wordsOf(language, area)].map(([key, text]) => [`${area}.${key}`, text] as const),
    );
    expect(badStyle(language, texts)).toEqual([]);
  });

  it('avoids them in mails and in the pages that the server renders', () => {
    const texts = serverTexts(language);
    expect(texts.length).toBeGreaterThan(400);
    expect(badStyle(language, texts)).toEqual([]);
  });
});

it('the style rules detect earlier wording', () => {
  const before: Record<string, string[]> = {
    en: [
      'Make the test app',
      'What it takes',
      'Nobody is told yet',
      'Nothing speaks against the next charge',
      'Keys that send',
      'said fixed',
      'In basis points: 10000 is everything',
      'USDC-8453',
      'The link is gone',
      'A payer disputes a payment',
      'Your wallet does not allow a payment of this amount any more.',
      'This invoice was given up. Nothing is to be paid.',
    ],
    de: [
      'Ein Zahler hat einen Streitfall eröffnet',
      'Nichts spricht gegen die nächste Abbuchung',
      'Noch wird niemand benachrichtigt',
      'Der Link ist angelegt',
    ],
  };
  for (const [language, texts] of Object.entries(before)) {
    for (const text of texts)
      expect(
        avoided[language]?.some(({ shape }) => shape.test(text)),
        text,
      ).toBe(true);
  }
});

describe('the pages', () => {
  it('use only keys that exist', () => {
    const missing = globSync('**/*.{ts,tsx}', { cwd: root }).flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const literal = [...text.matchAll(/\bt\(\s*'([^']+)'/g), ...text.matchAll(/\bi18nKey="([^"]+)"/g)];
      const asked = literal.map((match) => match[1] ?? '').filter((key) => !stems.has(key));
      const composed = [...text.matchAll(/\bt\(\s*`([^`$]+)\$\{/g)].map((match) => match[1] ?? '');
      const empty = composed.filter((start) => ![...stems].some((key) => key.startsWith(start)));
      return [...asked, ...empty].map((key) => `${file} → ${key}`);
    });
    expect(missing).toEqual([]);
  });

  it('have a text for every status', () => {
    expect(knownStatuses.filter((status) => !english.has(`everywhere.status.${status}`))).toEqual([]);
  });
});
