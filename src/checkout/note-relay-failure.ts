import type { DatabaseTransaction } from '../../prisma/client.ts';

/**
 * Records the error of a relayed authorization that failed permanently as the `lastError` of the intent's OPEN sessions, so that the
 * payer's page prepares a new one. Called in the pump's transaction for an AUTHORIZE transaction; `error` is the revert as text.
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
