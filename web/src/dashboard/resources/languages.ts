import type { MailLanguage } from '../../../../generated/web/documents.ts';

/** The name of each language in that language. */
export const languages = [
  { value: 'en', words: 'English' },
  { value: 'de', words: 'Deutsch' },
] as const satisfies readonly { value: MailLanguage; words: string }[];
