/** What the provider keeps in the `data` of Medusa's payment sessions and payments. */
import type { Intent } from './payment-state.ts';

export type SluicePaymentData = {
  /** The payment intent. */
  id: string;
  /** The payment session in Medusa. */
  session_id: string;
  status: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  checkout_session_id: string;
  /** The page on which the payer pays. Only until the payment is authorized. */
  checkout_url?: string;
  /** For a checkout inside the storefront. Only until the payment is authorized. */
  client_secret?: string;
  expires_at: string | null;
  /** The token that was paid, and its base units. */
  token_key: string | null;
  crypto_amount: string | null;
  /** Base units of the refunds that Medusa has recorded. */
  refunded_units: string;
};

type Given = Record<string, unknown> | undefined;

/** `data` with the present state of the intent. A paid payment no longer needs the payer's credential, which is removed. */
export function withIntent(data: Given, intent: Intent): Record<string, unknown> {
  const { checkout_url, client_secret, ...rest } = data ?? {};
  const payable = intent.status === 'CREATED' ? { checkout_url, client_secret } : {};
  return {
    ...rest,
    ...payable,
    id: intent.id,
    status: intent.status,
    amount: intent.amount,
    currency: intent.currency,
    expires_at: intent.expiresAt,
    token_key: intent.cryptoTokenKey,
    crypto_amount: intent.cryptoAmount,
  };
}

export function intentIdOf(data: Given): string | undefined {
  return typeof data?.id === 'string' && data.id !== '' ? data.id : undefined;
}

export function recordedRefunds(data: Given): bigint {
  return typeof data?.refunded_units === 'string' && /^\d+$/.test(data.refunded_units)
    ? BigInt(data.refunded_units)
    : 0n;
}
