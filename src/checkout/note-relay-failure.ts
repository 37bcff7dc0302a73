import type { DatabaseTransaction } from '../../prisma/client.ts';

/**
 * A relayed authorization failed for good: tells it to the payer's page as the sessions' `lastError`, so that it prepares
 * again. Called inside the pump's transaction for an AUTHORIZE transaction; `error` is the revert in words.
 */
export async function noteRelayFailure(
  tx: DatabaseTransaction,
  failure: { paymentIntentId: string; error: string | null },
): Promise<void> {
  await tx.checkoutSession.updateMany({
    where: { paymentIntentId: failure.paymentIntentId, status: 'OPEN' },
    data: {
      lastErrorCode: 'RELAY_FAILED',
      lastErrorMessage: failure.error ?? 'The payment could not be carried out.',
    },
  });
}
