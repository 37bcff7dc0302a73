/** The React component over `<sluice-checkout>`, for React 18 and later, also where pages are rendered on a server. */
import { type CSSProperties, createElement, type ReactElement, useEffect, useRef } from 'react';
import './index.ts';
import type { CheckoutMode, CheckoutTheme, ClosedDetail, FailedDetail, PaidDetail, SluiceCheckout } from './index.ts';

export type CheckoutProps = {
  /** The address of the Sluice installation, such as `https://pay.example.com`. */
  baseUrl: string;
  sessionId: string;
  /** The session's client secret. It is not written into the document. */
  clientSecret: string;
  /** `inline` by default. */
  mode?: CheckoutMode;
  /** Whether the dialog is shown; for the mode `modal` only. Set it to false in `onClosed`. */
  open?: boolean;
  /** `en` or `de`; the payer's language by default. */
  locale?: string;
  theme?: CheckoutTheme;
  onPaid?: (detail: PaidDetail) => void;
  onFailed?: (detail: FailedDetail) => void;
  onClosed?: (detail: ClosedDetail) => void;
  className?: string;
  style?: CSSProperties;
};

export function Checkout(props: CheckoutProps): ReactElement {
  const { baseUrl, sessionId, clientSecret, mode, open, locale, theme = {}, className, style } = props;
  const { scheme, accent, radius, font } = theme;
  const place = useRef<SluiceCheckout>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const paid = ({ detail }: CustomEvent<PaidDetail>) => latest.current.onPaid?.(detail);
    const failed = ({ detail }: CustomEvent<FailedDetail>) => latest.current.onFailed?.(detail);
    const closed = ({ detail }: CustomEvent<ClosedDetail>) => latest.current.onClosed?.(detail);
    element.addEventListener('sluice:paid', paid);
    element.addEventListener('sluice:failed', failed);
    element.addEventListener('sluice:closed', closed);
    return () => {
      element.removeEventListener('sluice:paid', paid);
      element.removeEventListener('sluice:failed', failed);
      element.removeEventListener('sluice:closed', closed);
    };
  }, []);
  useEffect(() => {
    if (!place.current) return;
    Object.assign(place.current, { baseUrl, sessionId, clientSecret, mode, locale, open: open === true });
  }, [baseUrl, sessionId, clientSecret, mode, locale, open]);
  useEffect(() => {
    if (place.current) place.current.theme = { scheme, accent, radius, font };
  }, [scheme, accent, radius, font]);
  return createElement('sluice-checkout', { ref: place, class: className, style });
}
