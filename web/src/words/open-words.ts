/**
 * The pages' words: one JSON file a language and an area. English is the reference: its keys are the type of every other
 * language, and the fallback. A further language is one folder more and one line in `languages`.
 */
import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

type Words = Record<string, unknown>;

/** The browser's first language that we speak; what the payer chose by hand goes before it. */
export function preferredLanguage(): Language {
  const chosen = [localStorage.getItem('sluice.language'), ...navigator.languages];
  const known = chosen.flatMap((name) => languages.filter((one) => name?.toLowerCase().split('-')[0] === one));
  return known[0] ?? 'en';
}

/** `load` brings the words of a language; English comes with the page, another is loaded when it is asked for. */
export async function openWords(english: Words, load: (language: Language) => Promise<Words>): Promise<i18n> {
  const language = preferredLanguage();
  const words = language === 'en' ? english : await load(language).catch(() => english);
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: english }, [language]: { translation: words } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
  return i18next;
}

export async function switchLanguage(language: Language, load: (language: Language) => Promise<Words>): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(language, 'translation', await load(language));
  }
  localStorage.setItem('sluice.language', language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
