/** What is told of a payment on its way. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { chainOf } from '../../settings.ts';
import type { Abandonment, Sent } from './payment-state.ts';
import { unseenAt } from './unseen.ts';

type Told<Of, Names extends keyof NonNullable<Of>> = Pick<NonNullable<Of>, Names> | null | undefined;
type Attempt = Told<CheckoutViewFragment['attempt'], 'quoteId' | 'method' | 'chainId' | 'madeAt' | 'payBy'>;

export function progressFacts(request: {
  view: {
    attempt?: Attempt;
    payment?: Told<CheckoutViewFragment['payment'], 'authorization' | 'requiredConfirmations' | 'captureMode'>;
  };
  payment: { sent: Sent | undefined; abandon: (quoteId: string, why: Abandonment) => void };
  /** The wallet's chain has it in a block, and it did what it should. */
  isMined: boolean;
  /** The gateway does not answer, so that nothing follows from what it has not seen. */
  isOld: boolean;
  /** Milliseconds, by the gateway's clock. */
  now: number;
}) {
  const { view, payment, isMined, isOld, now } = request;
  const { attempt } = view;
  const { authorization, requiredConfirmations } = view.payment ?? {};
  const chain = chainOf(authorization?.chainId ?? attempt?.chainId ?? payment.sent?.chainId ?? 0);
  const count = authorization?.confirmations;
  const own = ownSending(attempt, payment.sent);
  const isSeen = isMined || isOld || (authorization && authorization.status !== 'FAILED');
  const unseen = own && !isSeen ? unseenAt(now, { family: chain?.family ?? '', ...own }) : undefined;
  return {
    chain,
    confirmations:
      typeof count === 'number' && requiredConfirmations
        ? { count: Math.min(count, requiredConfirmations), of: requiredConfirmations }
        : undefined,
    isHeld: view.payment?.captureMode === 'MANUAL',
    lateUntil: unseen?.state === 'LATE' ? new Date(unseen.until) : undefined,
    again: own && unseen?.state === 'LOST' ? () => payment.abandon(own.quoteId, 'NOT_SEEN') : undefined,
  };
}

/** Undefined for what the gateway sends: it tells by itself when that fails. */
function ownSending(
  attempt: Attempt,
  sent: Sent | undefined,
): { quoteId: string; sentAt: number; payBy: number } | undefined {
  if (!attempt) return sent;
  const { quoteId, method, madeAt, payBy } = attempt;
  return method === 'DIRECT' && payBy ? { quoteId, sentAt: Date.parse(madeAt), payBy: Date.parse(payBy) } : undefined;
}
