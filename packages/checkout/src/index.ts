/** Defines `<sluice-checkout>`. Its import is safe where there is no document, and defines nothing there. */
import { SluiceCheckout } from './checkout-element.ts';

export { type CheckoutMode, SluiceCheckout } from './checkout-element.ts';
export type { ClosedDetail, FailedDetail, FailureCode, PaidDetail, PaidOutcome } from './events.ts';
export type { CheckoutTheme } from './theme.ts';

declare global {
  interface HTMLElementTagNameMap {
    'sluice-checkout': SluiceCheckout;
  }
}

const registry = globalThis.customElements;
if (registry && !registry.get('sluice-checkout')) registry.define('sluice-checkout', SluiceCheckout);
