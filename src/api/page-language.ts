/** The language of the pages that the server prints, by the header of the browser. */
export type PageLanguage = 'en' | 'de';

/** Returns the first language of an Accept-Language header in which the page is available, or English. */
export function languageOf(header: string | undefined): PageLanguage {
  const asked = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.map((one) => /^\s*q=([\d.]+)/.exec(one)?.[1]).find((one) => one !== undefined);
      return { language: tag.slice(0, 2), quality: quality === undefined ? 1 : Number(quality) };
    })
    .toSorted((left, right) => right.quality - left.quality);
  return asked.find(({ language }) => language === 'de' || language === 'en')?.language === 'de' ? 'de' : 'en';
}
