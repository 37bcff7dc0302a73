/**
 * The frame with the payment page. Its messages count only if they come from this very frame and from the installation's origin. If the page
 * does not report in time, which is all that an embedding page sees of a frame that the browser refused, a link to the page is shown.
 */
import { type FrameAddress, frameUrl, pageUrl } from './address.ts';
import { type FrameMessage, readMessage } from './frame-message.ts';
import type { CheckoutTheme } from './theme.ts';
import type { Words } from './words.ts';

/** After the frame has loaded, its page has already run its script, or was not loaded. */
const AFTER_LOAD_MS = 4_000;
const LONGEST_LOAD_MS = 30_000;

export type FrameView = {
  element: HTMLElement;
  focus(): void;
  setTheme(theme: CheckoutTheme): void;
  remove(): void;
};

type FrameListener = { message(message: FrameMessage): void; unreachable(): void };

export function openFrameView(address: FrameAddress, words: Words, listener: FrameListener): FrameView {
  const { origin } = new URL(address.baseUrl);
  const element = document.createElement('div');
  element.className = 'view';
  const frame = document.createElement('iframe');
  frame.title = words.title;
  frame.allow = 'clipboard-write';
  frame.referrerPolicy = 'no-referrer';
  frame.src = frameUrl(address);
  const notice = noticeOf(pageUrl(address), words);
  element.append(frame);

  let isReady = false;
  const lose = () => {
    if (isReady || notice.isConnected) return;
    frame.hidden = true;
    element.append(notice);
    listener.unreachable();
  };
  let timer = setTimeout(lose, LONGEST_LOAD_MS);
  frame.addEventListener('load', () => {
    clearTimeout(timer);
    timer = setTimeout(lose, AFTER_LOAD_MS);
  });
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== frame.contentWindow || event.source === null || event.origin !== origin) return;
    const message = readMessage(event.data);
    if (!message) return;
    if (message.type === 'ready') {
      // A slow page may report after the notice was shown.
      isReady = true;
      clearTimeout(timer);
      notice.remove();
      frame.hidden = false;
    }
    if (message.type === 'height') frame.style.height = `${message.height}px`;
    listener.message(message);
  };
  window.addEventListener('message', onMessage);

  return {
    element,
    focus: () => frame.focus(),
    setTheme: (theme) =>
      frame.contentWindow?.postMessage({ source: 'sluice', type: 'theme', theme: { ...theme } }, origin),
    remove() {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
      element.remove();
    },
  };
}

function noticeOf(url: string, words: Words): HTMLElement {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  const link = document.createElement('a');
  link.href = url;
  link.target = '_blank';
  link.rel = 'noopener';
  link.textContent = words.open;
  notice.append(`${words.blocked} `, link);
  return notice;
}
