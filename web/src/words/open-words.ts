/**
 * The pages' words: one JSON file per language and area, addressed as `area.key`. English is the reference: every other
 * language has its keys, and falls back to it. A further language is one folder more and one line in `languages`.
 */
import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

type Words = Record<string, unknown>;

const files = import.meta.glob<Words>('./{en,de}/*.json', { import: 'default' });
/** The areas in use, to be brought in another language when it is chosen. */
const opened = new Set<string>();

/** The browser's first supported language. The viewer's own choice takes precedence. */
function preferredLanguage(): Language {
  const chosen = [localStorage.getItem('sluice.language'), ...navigator.languages];
  const known = chosen.flatMap((name) => languages.filter((one) => name?.toLowerCase().split('-')[0] === one));
  return known[0] ?? 'en';
}

/**
 * `english` are the areas that come with the page, by name: `openWords({ everywhere, checkout })`. Others: `addWords`. The language is the
 * viewer's, unless the page that embeds this one asks for `wanted`. `german` are the same areas where they come with the page, too.
 */
export async function openWords(
  english: Record<string, Words>,
  { wanted, german }: { wanted?: Language | undefined; german?: Record<string, Words> } = {},
): Promise<i18n> {
  const language = wanted ?? preferredLanguage();
  for (const area of Object.keys(english)) opened.add(area);
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: english }, ...(german ? { de: { translation: german } } : {}) },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  if (!i18next.hasResourceBundle(language, 'translation')) await loadBundles(language, Object.keys(english));
  document.documentElement.lang = language;
  return i18next;
}

/** Areas of a part that is loaded later; wait for it beside the part's own code. */
export async function addWords(areas: readonly string[]): Promise<void> {
  const fresh = areas.filter((area) => !opened.has(area));
  await loadBundles('en', fresh);
  const [language] = languages.filter((one) => one === i18next.language);
  if (language && language !== 'en') await loadBundles(language, fresh);
  for (const area of fresh) opened.add(area);
}

export async function switchLanguage(language: Language): Promise<void> {
  if (language !== 'en') await loadBundles(language, [...opened]);
  localStorage.setItem('sluice.language', language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** A file that cannot be loaded leaves English standing. */
async function loadBundles(language: Language, areas: readonly string[]): Promise<void> {
  await Promise.all(
    areas.map(async (area) => {
      const words = await files[`./${language}/${area}.json`]?.().catch(() => undefined);
      if (words) i18next.addResourceBundle(language, 'translation', { [area]: words }, true, true);
    }),
  );
}
