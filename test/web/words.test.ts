/** The pages' words: every language says all that English says, with the same blanks; and every word asked for is there. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownStatuses } from '../../web/src/ui/state/tones.ts';

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

describe.each(languages.filter((language) => language !== 'en'))('the words in %s', (language) => {
  it('are in the same areas', () => {
    expect(
      globSync(`words/${language}/*.json`, { cwd: root })
        .map((file) => basename(file, '.json'))
        .sort(),
    ).toEqual([...areas].sort());
  });

  it.each(areas)('of %s have the keys of English, its blanks and their own plurals', (area) => {
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
      // "one" may say its number as a word.
      const original = reference.get(key) ?? reference.get(`${stem(key)}_other`) ?? reference.get(stem(key)) ?? '';
      const needed = isPlural ? blanks(original).filter((blank) => blank !== 'count') : blanks(original);
      expect(isPlural ? blanks(text).filter((blank) => blank !== 'count') : blanks(text), key).toEqual(needed);
    }
  });
});

describe('the pages', () => {
  it('ask for words that are there', () => {
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

  it('have a word for every status', () => {
    expect(knownStatuses.filter((status) => !english.has(`everywhere.status.${status}`))).toEqual([]);
  });
});
