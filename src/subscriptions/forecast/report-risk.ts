import type { DatabaseTransaction, Subscription } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import type { RenewalCause, RenewalCauseCode } from '../renewal/renewal-cause.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import type { RenewalForecast } from './renewal-forecast.ts';

/** The forecast that corresponds to each cause of failure; other causes are not forecast. */
const foretold: { [Code in RenewalCauseCode]?: RenewalForecast } = {
  CONSENT_REVOKED: 'REVOKED',
  INSUFFICIENT_ALLOWANCE: 'LOW_ALLOWANCE',
  INSUFFICIENT_BALANCE: 'LOW_BALANCE',
  PERMIT_EXPIRED: 'PERMIT_EXPIRED',
};

/** The warning that must precede a failure, if it has not been given for this period. */
export async function riskEvent(
  tx: DatabaseTransaction,
  { subscription, cause }: { subscription: Subscription; cause: RenewalCause },
): Promise<NewEvent[]> {
  const forecast = foretold[cause.code];
  return forecast === undefined ? [] : await reportRisk(tx, { subscription, forecast });
}

/**
 * Returns `subscription.renewal_at_risk` once per end of a period. Runs in the caller's transaction, which holds the
 * subscription's lock and appends the events.
 */
export async function reportRisk(
  tx: DatabaseTransaction,
  { subscription, forecast }: { subscription: Subscription; forecast: RenewalForecast },
): Promise<NewEvent[]> {
  const { id, currentPeriodEnd } = subscription;
  if (currentPeriodEnd === null || forecast === 'OK') return [];
  const outlook = await tx.renewalOutlook.findUnique({ where: { subscriptionId: id }, select: { warnedOf: true } });
  if (outlook?.warnedOf?.getTime() === currentPeriodEnd.getTime()) return [];
  await tx.renewalOutlook.upsert({
    where: { subscriptionId: id },
    create: { subscriptionId: id, warnedOf: currentPeriodEnd },
    update: { warnedOf: currentPeriodEnd },
  });
  const data = { ...subscriptionFields(subscription), renewalForecast: forecast };
  return [{ type: 'subscription.renewal_at_risk', resourceId: id, data }];
}
