/** The background jobs of subscriptions. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Does what is due for a subscription: a renewal, a retry, or its end. */
export const renewSubscriptionJob = defineJob({
  name: 'renew_subscription',
  payload: z.object({ subscriptionId: z.uuid() }),
  maxAttempts: 25,
  // Thousands may be due in the same minute. Follow-up work and other merchants' jobs must not wait for all of them.
  priority: 10,
});

/** The key that allows one waiting job per subscription: the newest time replaces the earlier one. */
export function renewalKey(subscriptionId: string): string {
  return `subscription:${subscriptionId}`;
}

/** Checks the payer's side of a renewal some days before it is due. */
export const forecastRenewalJob = defineJob({
  name: 'forecast_renewal',
  payload: z.object({ subscriptionId: z.uuid() }),
  maxAttempts: 10,
  priority: 20,
});

export function forecastKey(subscriptionId: string): string {
  return `forecast:${subscriptionId}`;
}
