/** What is shown about a payment in progress. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { chainOf } from '../../settings.ts';
import type { Look } from './look-for.ts';
import type { Abandonment, Sent } from './payment-state.ts';
import { LATE_MS, unseenAt } from './unseen.ts';

type Reported<Of, Names extends keyof NonNullable<Of>> = Pick<NonNullable<Of>, Names> | null | undefined;
type Attempt = Reported<CheckoutViewFragment['attempt'], 'quoteId' | 'method' | 'chainId' | 'madeAt' | 'payBy'>;

export function progressFacts(request: {
  view: {
    attempt?: Attempt;
    payment?: Reported<CheckoutViewFragment['payment'], 'authorization' | 'requiredConfirmations' | 'captureMode'>;
  };
  payment: { sent: Sent | undefined; abandon: (quoteId: string, why: Abandonment) => void };
  /** The last lookup on its own chain. */
  look: Look | undefined;
  /** The gateway does not respond, so a payment that it has not reported may still exist. */
  isOld: boolean;
  /** Milliseconds, by the gateway's clock. */
  now: number;
}) {
  const { view, payment, look, isOld, now } = request;
  const { attempt } = view;
  const { authorization, requiredConfirmations } = view.payment ?? {};
  const chain = chainOf(authorization?.chainId ?? attempt?.chainId ?? payment.sent?.chainId ?? 0);
  const count = authorization?.confirmations;
  const own = ownSending(attempt, payment.sent);
  const isSeen = look?.result === 'DONE' || isOld || (authorization && authorization.status !== 'FAILED');
  const family = chain?.family ?? '';
  const unseen = own && !isSeen ? unseenAt(now, { family, ...own }) : undefined;
  const isLost = own !== undefined && unseen?.state === 'LOST';
  // A lookup that failed, or that was made before the deadline, does not prove that it does not exist.
  const isNotThere =
    isLost &&
    (look?.result === 'NOT_THERE' || look?.result === 'REPLACED') &&
    unseenAt(look.at, { family, ...own }).state === 'LOST';
  // The replacement may be the same payment with a higher fee, which would have been seen by now.
  const isReplaced = unseen !== undefined && look?.result === 'REPLACED' && look.at - look.since > LATE_MS;
  return {
    chain,
    confirmations:
      typeof count === 'number' && requiredConfirmations
        ? { count: Math.min(count, requiredConfirmations), of: requiredConfirmations }
        : undefined,
    isHeld: view.payment?.captureMode === 'MANUAL',
    lateUntil: unseen?.state === 'LATE' && !isReplaced ? new Date(unseen.until) : undefined,
    /** Its deadline has passed, and its state is unknown. */
    isUncertain: isLost && !isNotThere,
    again: own && (isNotThere || isReplaced) ? () => payment.abandon(own.quoteId, 'NOT_SEEN') : undefined,
  };
}

/** Undefined for transactions that the gateway sends, whose failure it reports. */
function ownSending(
  attempt: Attempt,
  sent: Sent | undefined,
): { quoteId: string; sentAt: number; payBy: number } | undefined {
  if (!attempt) return sent;
  const { quoteId, method, madeAt, payBy } = attempt;
  return method === 'DIRECT' && payBy ? { quoteId, sentAt: Date.parse(madeAt), payBy: Date.parse(payBy) } : undefined;
}
