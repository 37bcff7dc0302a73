/**
 * What the page shows until it is loaded, as HTML for the server, so that a payer sees the page before its script has arrived. It is what
 * React renders first, and contains no style attributes, which the content security policy refuses.
 */
import { createInstance } from 'i18next';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import germanCheckout from '../../words/de/checkout.json';
import checkout from '../../words/en/checkout.json';
import { PageFrame } from '../view/page-frame.tsx';
import { LoadingCard } from './loading-card.tsx';

/** Returns the HTML by language. */
export async function printLoading(): Promise<Record<string, string>> {
  const resources = {
    en: { translation: { checkout } },
    de: { translation: { checkout: germanCheckout } },
  };
  const printed: Record<string, string> = {};
  for (const language of Object.keys(resources)) {
    const words = createInstance();
    await words.use(initReactI18next).init({ lng: language, resources, interpolation: { escapeValue: false } });
    printed[language] = renderToStaticMarkup(
      <I18nextProvider i18n={words}>
        <PageFrame isLoading>
          <LoadingCard />
        </PageFrame>
      </I18nextProvider>,
    );
  }
  return printed;
}
