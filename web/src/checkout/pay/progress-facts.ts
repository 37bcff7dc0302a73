/** What is told of a payment on its way. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { chainOf } from '../../settings.ts';

/** After so long without a sight of it in a block a payer who sends by hand may try again. */
const LONG_MS = 120_000;

type Told<Of, Names extends keyof NonNullable<Of>> = Pick<NonNullable<Of>, Names> | null | undefined;

export function progressFacts(request: {
  view: {
    attempt?: Told<CheckoutViewFragment['attempt'], 'quoteId' | 'method' | 'chainId' | 'madeAt'>;
    payment?: Told<CheckoutViewFragment['payment'], 'authorization' | 'requiredConfirmations' | 'captureMode'>;
  };
  payment: { prepared: { chainId: number } | undefined; abandon: (quoteId: string) => void };
  /** Milliseconds, by the gateway's clock. */
  now: number;
}) {
  const { view, payment, now } = request;
  const { attempt } = view;
  const { authorization, requiredConfirmations } = view.payment ?? {};
  const chain = chainOf(authorization?.chainId ?? attempt?.chainId ?? payment.prepared?.chainId ?? 0);
  const count = authorization?.confirmations;
  const isLong = attempt?.method === 'DIRECT' && !authorization && now - Date.parse(attempt.madeAt) > LONG_MS;
  return {
    chain,
    confirmations:
      typeof count === 'number' && requiredConfirmations
        ? { count: Math.min(count, requiredConfirmations), of: requiredConfirmations }
        : undefined,
    isHeld: view.payment?.captureMode === 'MANUAL',
    again: isLong ? () => payment.abandon(attempt.quoteId) : undefined,
  };
}
