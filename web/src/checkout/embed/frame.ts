/**
 * The checkout inside a frame of a merchant's page: its look, its height, and its messages to that page. Messages go only to the origin that
 * was verified against the app's list, and come only from it.
 */
import { type Language, languages } from '../../words/open-words.ts';
import type { FrameOutcome } from './frame-outcome.ts';
import { printTheme, readTheme } from './frame-theme.ts';
import { parentOriginOf } from './parent-origin.ts';

export type Frame = {
  /** Undefined for the browser's language. */
  language: Language | undefined;
  /** The embedding page is not listed: nothing is shown to it, and nothing is sent to it. */
  isRefused: boolean;
  /** Closes the dialog around the frame. Undefined for a frame that is not in one. */
  close: (() => void) | undefined;
  /** Sends the outcome, each once, and nothing after a payment. */
  report(outcome: FrameOutcome): void;
};

type FrameMessage = FrameOutcome | { type: 'ready' } | { type: 'height'; height: number } | { type: 'close' };

/** Undefined for a page that is not in a frame. */
export const frame: Frame | undefined = location.pathname.startsWith('/embed/') ? openFrame() : undefined;

function openFrame(): Frame {
  const wanted = new URLSearchParams(location.search);
  const language = languages.find((one) => one === wanted.get('locale')?.toLowerCase().split('-')[0]);
  // Opened outside of a frame, it redirects to the checkout page.
  if (window.parent === window) location.replace(location.pathname.replace(/^\/embed/, '') + location.hash);
  const parentOrigin = parentOriginOf({
    listed: readListed(),
    declared: wanted.get('parent'),
    actual: location.ancestorOrigins?.[0],
  });
  document.documentElement.dataset.frame = '';
  if (parentOrigin === undefined) {
    return { language, isRefused: true, close: undefined, report: () => undefined };
  }

  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  applyTheme(sheet, (name) => wanted.get(name));
  const send = (message: FrameMessage) => window.parent.postMessage({ source: 'sluice', ...message }, parentOrigin);
  window.addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== window.parent || origin !== parentOrigin || !isThemeMessage(data)) return;
    const { theme } = data;
    applyTheme(sheet, (name) => Reflect.get(theme, name));
  });
  const close = wanted.get('mode') === 'modal' ? () => send({ type: 'close' }) : undefined;
  if (close) {
    // The page around the frame does not receive keys that are pressed in it. A dialog of this page that closes prevents the default.
    window.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    });
  }
  followHeight((height) => send({ type: 'height', height }));
  send({ type: 'ready' });

  const reported = new Set<string>();
  return {
    language,
    isRefused: false,
    close,
    report(outcome) {
      const key = outcome.type === 'paid' ? 'paid' : outcome.code;
      if (reported.has('paid') || reported.has(key)) return;
      reported.add(key);
      send(outcome);
    },
  };
}

function readListed(): readonly string[] {
  const printed: unknown = JSON.parse(document.getElementById('frame')?.textContent ?? 'null');
  if (typeof printed !== 'object' || printed === null || !('origins' in printed)) return [];
  return Array.isArray(printed.origins) ? printed.origins.filter((one) => typeof one === 'string') : [];
}

function isThemeMessage(data: unknown): data is { theme: object } {
  if (typeof data !== 'object' || data === null || !('source' in data) || !('type' in data)) return false;
  if (data.source !== 'sluice' || data.type !== 'theme') return false;
  return 'theme' in data && typeof data.theme === 'object' && data.theme !== null;
}

function applyTheme(sheet: CSSStyleSheet, given: (name: string) => unknown): void {
  const theme = readTheme(given);
  if (theme.scheme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.scheme;
  sheet.replaceSync(printTheme(theme));
}

/** The frame is as high as its content, so that it needs no scroll bar of its own. */
function followHeight(changed: (height: number) => void): void {
  const place = document.getElementById('page');
  if (!place) return;
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(place.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    changed(height);
  }).observe(place);
}
