/** The addresses of a session's pages. The client secret is in the fragment, which browsers do not send. */
import { type CheckoutTheme, themeTokens } from './theme.ts';

export type FrameAddress = {
  baseUrl: string;
  sessionId: string;
  clientSecret: string;
  mode: 'inline' | 'modal';
  locale: string | undefined;
  theme: CheckoutTheme;
  /** The origin of the page that embeds the frame. */
  parent: string;
};

export function frameUrl({ baseUrl, sessionId, clientSecret, mode, locale, theme, parent }: FrameAddress): string {
  const query = new URLSearchParams({ parent, mode });
  if (locale) query.set('locale', locale);
  for (const token of themeTokens) {
    const value = theme[token];
    if (value) query.set(token, value);
  }
  return `${trimmed(baseUrl)}/embed/checkout/${encodeURIComponent(sessionId)}?${query}#${clientSecret}`;
}

export function pageUrl({ baseUrl, sessionId, clientSecret }: FrameAddress): string {
  return `${trimmed(baseUrl)}/checkout/${encodeURIComponent(sessionId)}#${clientSecret}`;
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
