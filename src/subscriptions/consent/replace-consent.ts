import { type DatabaseTransaction, Prisma, type SubscriptionConsent } from '../../../prisma/client.ts';
import { checkoutSessionFields } from '../../checkout/checkout-session.ts';
import { markExpired } from '../../checkout/expire-checkout-session.ts';
import { QUOTES_LIMIT } from '../../checkout/prepare-checkout.ts';
import { inOrder, lockSession } from '../../checkout/store.ts';
import type { Config } from '../../config/config.ts';
import { refreshWalletJob } from '../../customers/jobs.ts';
import { GatewayError } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { appendEvents } from '../../events/append-events.ts';
import { addJob } from '../../platform/jobs.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { type ChargeWorld, placeOf } from '../charge/prepare-charge.ts';
import { readPayer } from '../renewal/charging/read-payer.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import type { SubscriptionWithPrice } from '../store.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { authorizationColumns, consentKey, linkSigner } from './accepted-consent.ts';
import { printToken } from './recurring-consent.ts';

/** A consent that is requested again in the same second starts a second earlier. */
const START_SLACK_MS = QUOTES_LIMIT * 1_000;

/**
 * Throws CONFLICT if the wallet that signed holds less than the price that it was shown, so that a consent is only replaced by that of a
 * wallet that can pay. Throws CHAIN_UNAVAILABLE.
 */
export async function requireFunds(
  world: Pick<ChargeWorld, 'registry' | 'nodes'>,
  row: SubscriptionConsent,
): Promise<void> {
  const { balance } = await readPayer(world, row);
  const amount = toBigInt(row.cryptoAmount);
  if (balance >= amount) return;
  const { token } = placeOf(world.registry, row);
  const [needed, held] = [printToken(amount, token), printToken(balance, token)];
  throw new GatewayError('CONFLICT', `The renewal takes ${needed}, but ${row.walletAddress} holds ${held}.`, {
    meta: { missing: (amount - balance).toString() },
  });
}

/**
 * Replaces the consent of a running subscription, whose lock the caller holds, by the signed one: from now on only the new one is charged,
 * and an open invoice at once. A charge that is pending under the previous consent still counts; if it fails, the invoice is charged under
 * the new one. Sets the session to COMPLETE and ends the other sessions that would replace the consent. Appends
 * `subscription.consent_replaced` and `checkout_session.completed` as the last statement. Throws CONFLICT if the period to be paid has been
 * paid in the meantime.
 */
export async function replaceConsent(
  tx: DatabaseTransaction,
  request: {
    row: SubscriptionConsent;
    subscription: SubscriptionWithPrice;
    sessionId: string;
    now: Date;
    config: Pick<Config, 'publicUrl'>;
  },
): Promise<void> {
  const { row, subscription, sessionId, now } = request;
  const { publicUrl } = request.config;
  requireSamePeriod(row, subscription);
  const others = await lockSessions(tx, { subscriptionId: subscription.id, sessionId });
  const previous = await tx.subscriptionConsent.findFirst({ where: { acceptedBy: { id: subscription.id } } });
  await tx.subscriptionConsent.update({ where: consentKey(row), data: { acceptedAt: now } });
  const customerWalletId = await linkSigner(tx, { row, customerAccountId: subscription.customerAccountId, now });
  const replaced = await tx.subscription.update({
    where: { id: subscription.id },
    data: {
      ...authorizationColumns(row),
      customerWalletId,
      approvedAllowance: null,
      retryRequestedAt: now,
      pendingJobId: await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: now }),
    },
  });
  // The outlook shows what the previous wallet holds.
  await tx.renewalOutlook.updateMany({ where: { subscriptionId: subscription.id }, data: nothingSeen });
  if (previous) {
    await tx.subscriptionConsent.update({ where: consentKey(previous), data: { replacedAt: now } });
    const { chainId, walletAddress } = previous;
    await addJob(tx, refreshWalletJob, { chainId, walletAddress });
  }
  const session = await tx.checkoutSession.update({
    where: { id: sessionId },
    data: { status: 'COMPLETE', completedAt: now },
    include: inOrder,
  });
  for (const id of others) await markExpired(tx, { id, publicUrl });
  await appendEvents(tx, replaced.appId, [
    {
      type: 'subscription.consent_replaced',
      resourceId: replaced.id,
      data: {
        ...subscriptionFields(replaced),
        previousConsent: previous && consentFields(previous),
        consent: consentFields(row),
      },
    },
    { type: 'checkout_session.completed', resourceId: session.id, data: checkoutSessionFields(session, publicUrl) },
  ]);
}

const nothingSeen = { balance: null, expectedAmount: null, readAt: null } as const;

/** A consent as `subscription.consent_replaced` names it. */
function consentFields({
  consentId,
  chainId,
  tokenKey,
  walletAddress,
  capPerPeriod,
}: SubscriptionConsent): Prisma.JsonObject {
  return { id: consentId, chainId, tokenKey, walletAddress, capPerPeriod: new Prisma.Decimal(capPerPeriod).toFixed(0) };
}

function requireSamePeriod(row: SubscriptionConsent, { currentPeriodEnd }: SubscriptionWithPrice): void {
  const start = consentFromJson(row.consent).start * 1_000;
  if (currentPeriodEnd === null || start >= currentPeriodEnd.getTime() - START_SLACK_MS) return;
  throw new GatewayError('CONFLICT', 'The open invoice was paid in the meantime. Prepare the checkout again.');
}

/** Locks the sessions that would replace the consent, and returns the ids of the others. */
async function lockSessions(
  tx: DatabaseTransaction,
  { subscriptionId, sessionId }: { subscriptionId: string; sessionId: string },
): Promise<string[]> {
  const open = await tx.checkoutSession.findMany({
    where: { subscriptionId, renewsConsent: true, status: 'OPEN' },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  for (const { id } of open) await lockSession(tx, id);
  const locked = await tx.checkoutSession.findMany({
    where: { id: { in: open.map(({ id }) => id) }, status: 'OPEN' },
    select: { id: true },
  });
  if (!locked.some(({ id }) => id === sessionId)) {
    throw new GatewayError('EXPIRED', 'The checkout session has expired.');
  }
  return locked.map(({ id }) => id).filter((id) => id !== sessionId);
}
