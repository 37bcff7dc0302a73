/** The dialog around the frame. The browser's own modal dialog keeps the focus inside, and returns it to where it was. */
import type { CheckoutTheme } from './theme.ts';
import type { Words } from './words.ts';

export type ModalView = { element: HTMLDialogElement; setTheme(theme: CheckoutTheme): void; remove(): void };

export function openModalView(
  root: ShadowRoot,
  content: HTMLElement,
  { words, closed }: { words: Words; closed: () => void },
): ModalView {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', words.title);
  dialog.setAttribute('aria-modal', 'true');
  const bar = document.createElement('div');
  bar.className = 'bar';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'close';
  button.setAttribute('aria-label', words.close);
  button.textContent = '×';
  button.addEventListener('click', closed);
  bar.append(button);
  dialog.append(bar, content);
  // A click outside does not close it, because a payment may be in progress. Escape is handled before the browser closes the dialog, whose
  // own event comes later, when the page may have opened it again. Browsers do not let a page prevent every Escape, so that event counts too.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    closed();
  });
  dialog.addEventListener('close', closed, { once: true });
  root.append(dialog);
  const { overflow } = document.documentElement.style;
  document.documentElement.style.overflow = 'hidden';
  dialog.showModal();
  return {
    element: dialog,
    setTheme({ scheme = 'auto' }) {
      dialog.className = scheme;
    },
    remove() {
      document.documentElement.style.overflow = overflow;
      dialog.removeEventListener('close', closed);
      if (dialog.open) dialog.close();
      dialog.remove();
    },
  };
}
