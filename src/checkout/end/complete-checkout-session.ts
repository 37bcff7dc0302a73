import { type Database, type DatabaseTransaction, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { moveRedemption } from '../../catalog/coupons/redemption.ts';
import type { Config } from '../../config/config.ts';
import { refreshWalletJob } from '../../customers/jobs.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { checkoutSessionFields } from '../checkout-session.ts';
import { sellStock } from '../links/link-stock.ts';
import { inOrder, lockPaymentIntent, lockSession } from '../store.ts';

type CompletingWorld = { database: Database; clock: Clock; config: Pick<Config, 'publicUrl'> };

/** Calls `completeCheckoutSession` for those of the intents that have an open session or an unlinked wallet. */
export async function completeCheckoutSessions(
  world: CompletingWorld,
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  const concerned = await world.database.$queryRaw<{ id: string }[]>`
    SELECT intent.id FROM payment_intent intent WHERE intent.id = ANY(${[...paymentIntentIds]}::uuid[])
      AND (EXISTS (SELECT FROM checkout_session session
          WHERE session.payment_intent_id = intent.id AND session.status <> 'COMPLETE')
        OR intent.customer_account_id IS NOT NULL AND NOT EXISTS (SELECT FROM customer_wallet wallet
          WHERE wallet.customer_account_id = intent.customer_account_id AND wallet.chain_id = intent.authorization_chain_id
            AND wallet.wallet_address = intent.authorization_wallet_address))`;
  for (const { id } of concerned) await completeCheckoutSession(world, { paymentIntentId: id });
}

/**
 * Reacts to `payment_intent.authorized`: completes every session of the intent that is not COMPLETE (even an EXPIRED one, because
 * a late payment counts), sells the units of its link, redeems its
 * coupon, and links the wallet that paid to the intent's customer. Appends
 * `checkout_session.completed`, and `payment_link.sold_out` or `payment_link.oversold`. Idempotent: reads the intent again, and does nothing if it is not paid.
 */
export async function completeCheckoutSession(
  world: CompletingWorld,
  request: { paymentIntentId: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    await lockPaymentIntent(tx, request.paymentIntentId);
    const intent = await tx.paymentIntent.findUnique({ where: { id: request.paymentIntentId } });
    if (!intent || intent.acceptedTermsHash === null) return;
    const now = world.clock.now();
    await linkPayingWallet(tx, intent, now);
    const events: NewEvent[] = [];
    for (const { id } of await tx.checkoutSession.findMany({
      where: { paymentIntentId: intent.id, status: { not: 'COMPLETE' } },
      orderBy: { id: 'asc' },
      select: { id: true },
    })) {
      await lockSession(tx, id);
      const session = await tx.checkoutSession.update({
        where: { id },
        data: { status: 'COMPLETE', completedAt: now, lastErrorCode: null, lastErrorMessage: null },
        include: inOrder,
      });
      const ofLink = await sellStock(tx, { session, publicUrl: world.config.publicUrl });
      await moveRedemption(tx, { session, to: 'REDEEMED' });
      events.push(...ofLink, {
        type: 'checkout_session.completed',
        resourceId: session.id,
        data: checkoutSessionFields(session, world.config.publicUrl),
      });
    }
    await appendEvents(tx, intent.appId, events);
  });
}

async function linkPayingWallet(tx: DatabaseTransaction, intent: PaymentIntent, now: Date): Promise<void> {
  const { customerAccountId, authorizationChainId: chainId, authorizationWalletAddress: walletAddress } = intent;
  if (customerAccountId === null || chainId === null || walletAddress === null) return;
  // A refund address may belong to an exchange and need not be the customer's own wallet.
  const termsHash = intent.acceptedTermsHash ?? '';
  const deposit = await tx.depositAddress.findUnique({ where: { chainId_termsHash: { chainId, termsHash } } });
  if (deposit) return;
  const linked = await tx.customerWallet.createMany({
    data: { id: newId(), customerAccountId, chainId, walletAddress, createdAt: now },
    skipDuplicates: true,
  });
  if (linked.count > 0) await addJob(tx, refreshWalletJob, { chainId, walletAddress });
}
