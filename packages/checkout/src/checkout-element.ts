/** The custom element `<sluice-checkout>`. */
import type { FailureCode } from './events.ts';
import type { FrameMessage } from './frame-message.ts';
import { type FrameView, openFrameView } from './frame-view.ts';
import { type ModalView, openModalView } from './modal-view.ts';
import { styleSheet } from './style-sheet.ts';
import { type CheckoutTheme, themeTokens } from './theme.ts';
import { wordsOf } from './words.ts';

export type CheckoutMode = 'inline' | 'modal';

/** Servers that render pages also import this file, where the class HTMLElement does not exist. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

const properties = ['baseUrl', 'sessionId', 'clientSecret', 'mode', 'open', 'locale', 'theme'] as const;

/**
 * Shows the checkout of one session: in place, or with `mode="modal"` as a dialog while it is `open`. Dispatches `sluice:paid`,
 * `sluice:failed` and `sluice:closed`.
 */
export class SluiceCheckout extends Base {
  static readonly observedAttributes = [
    'base-url',
    'session-id',
    'client-secret',
    'mode',
    'open',
    'locale',
    ...themeTokens,
  ];

  #clientSecret: string | undefined;
  #view: { key: string; sessionId: string; frame: FrameView; modal: ModalView | undefined } | undefined;
  #isScheduled = false;
  /** What was dispatched for each session, so that a frame that is loaded again does not report it again. */
  readonly #reported = new Set<string>();

  /** The address of the Sluice installation, such as `https://pay.example.com`. */
  get baseUrl(): string | undefined {
    return this.#attribute('base-url');
  }
  set baseUrl(value: string | undefined) {
    this.#setAttribute('base-url', value);
  }

  get sessionId(): string | undefined {
    return this.#attribute('session-id');
  }
  set sessionId(value: string | undefined) {
    this.#setAttribute('session-id', value);
  }

  /** The session's client secret. Set as a property, it is not written into the document. */
  get clientSecret(): string | undefined {
    return this.#clientSecret ?? this.#attribute('client-secret');
  }
  set clientSecret(value: string | undefined) {
    this.#clientSecret = value ?? undefined;
    this.#schedule();
  }

  get mode(): CheckoutMode {
    return this.getAttribute('mode') === 'modal' ? 'modal' : 'inline';
  }
  set mode(value: CheckoutMode | undefined) {
    this.#setAttribute('mode', value);
  }

  /** Whether the dialog is shown; for the mode `modal` only. */
  get open(): boolean {
    return this.hasAttribute('open');
  }
  set open(value: boolean | undefined) {
    this.toggleAttribute('open', value === true);
  }

  /** `en` or `de`; the payer's language by default. */
  get locale(): string | undefined {
    return this.#attribute('locale');
  }
  set locale(value: string | undefined) {
    this.#setAttribute('locale', value);
  }

  get theme(): CheckoutTheme {
    return Object.fromEntries(
      themeTokens.flatMap((token) => (this.#attribute(token) ? [[token, this.#attribute(token)]] : [])),
    );
  }
  set theme(value: CheckoutTheme | undefined) {
    for (const token of themeTokens) this.#setAttribute(token, value?.[token]);
  }

  /** Opens the dialog. */
  show(): void {
    this.open = true;
  }

  /** Closes the dialog. What the payer has sent or signed stays sent and signed. */
  close(): void {
    this.open = false;
  }

  connectedCallback(): void {
    // What a page set before this element was defined hides the accessors.
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#schedule();
  }

  disconnectedCallback(): void {
    this.#schedule();
  }

  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** Several changes at once are one change. An element that is moved within the document keeps nothing, because its frame does not. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#render();
    });
  }

  #render(): void {
    const { baseUrl, sessionId, clientSecret, mode, locale, theme } = this;
    const isShown = this.isConnected && (mode === 'inline' || this.open);
    if (!isShown || !baseUrl || !URL.canParse(baseUrl) || !sessionId || !clientSecret) {
      this.#end();
      return;
    }
    const key = JSON.stringify([baseUrl, sessionId, clientSecret, mode, locale]);
    if (this.#view?.key === key) {
      this.#view.frame.setTheme(theme);
      this.#view.modal?.setTheme(theme);
      return;
    }
    this.#end();
    const words = wordsOf(locale);
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet()];
    const frame = openFrameView(
      { baseUrl, sessionId, clientSecret, mode, locale, theme, parent: location.origin },
      words,
      {
        message: (message) => this.#onMessage(sessionId, message),
        unreachable: () => this.#fail(sessionId, 'UNREACHABLE'),
      },
    );
    const modal =
      mode === 'modal' ? openModalView(root, frame.element, { words, closed: () => this.close() }) : undefined;
    modal?.setTheme(theme);
    if (!modal) root.append(frame.element);
    this.#view = { key, sessionId, frame, modal };
  }

  #end(): void {
    const view = this.#view;
    if (!view) return;
    this.#view = undefined;
    view.frame.remove();
    view.modal?.remove();
    if (!view.modal) return;
    const detail = { sessionId: view.sessionId, isPaid: this.#reported.has(`${view.sessionId} paid`) };
    this.dispatchEvent(new CustomEvent('sluice:closed', { bubbles: true, detail }));
  }

  #onMessage(sessionId: string, message: FrameMessage): void {
    if (message.type === 'close' && this.mode === 'modal') this.close();
    if (message.type === 'failed') this.#fail(sessionId, message.code);
    if (message.type !== 'paid' || this.#wasReported(sessionId, 'paid')) return;
    const { outcome, paymentIntentId } = message;
    const detail = { sessionId, outcome, paymentIntentId };
    this.dispatchEvent(new CustomEvent('sluice:paid', { bubbles: true, detail }));
  }

  #fail(sessionId: string, code: FailureCode): void {
    // The network can fail again.
    if (code !== 'UNREACHABLE' && this.#wasReported(sessionId, code)) return;
    const detail = { sessionId, code, isFinal: code !== 'UNREACHABLE' && code !== 'EXPIRED' };
    this.dispatchEvent(new CustomEvent('sluice:failed', { bubbles: true, detail }));
  }

  #wasReported(sessionId: string, what: string): boolean {
    const key = `${sessionId} ${what}`;
    if (this.#reported.has(key)) return true;
    this.#reported.add(key);
    return false;
  }

  #attribute(name: string): string | undefined {
    return this.getAttribute(name) || undefined;
  }

  #setAttribute(name: string, value: string | undefined): void {
    if (value === undefined || value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }
}
