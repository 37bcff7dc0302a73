/** The facts of a session from the API, in the form that the page's state machine needs. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { SessionFacts } from '../steps.ts';

export function sessionFacts(view: CheckoutViewFragment): SessionFacts {
  const { session, payment, attempt } = view;
  const authorization = payment?.authorization;
  return {
    status: session.status,
    mode: session.mode,
    isConsentRenewal: session.purpose === 'CONSENT_RENEWAL',
    expiresAt: Date.parse(session.expiresAt),
    lastError: session.lastError?.code ?? null,
    payment: payment?.status ?? null,
    captureMode: payment?.captureMode ?? 'AUTOMATIC',
    attempt: attempt && { quoteId: attempt.quoteId, txHash: attempt.txHash ?? null },
    authorization: authorization
      ? {
          status: authorization.status,
          txHash: authorization.txHash ?? null,
          isInBlock: authorization.blockHash !== null && authorization.blockHash !== undefined,
        }
      : null,
  };
}
