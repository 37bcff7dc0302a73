/** The background work of subscriptions. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

/** Looks at a subscription when something of it is due: a renewal, a retry, an end. */
export const renewSubscriptionJob = defineJob({
  name: 'renew_subscription',
  payload: z.object({ subscriptionId: z.uuid() }),
  maxAttempts: 25,
  // Thousands may be due in the same minute: what follows from one, and other merchants' work, does not wait for the rest.
  priority: 10,
});

/** One waiting look a subscription: the newest time wins. */
export function renewalKey(subscriptionId: string): string {
  return `subscription:${subscriptionId}`;
}

/** Looks at the payer's side of a renewal some days before it is due. */
export const forecastRenewalJob = defineJob({
  name: 'forecast_renewal',
  payload: z.object({ subscriptionId: z.uuid() }),
  maxAttempts: 10,
  priority: 20,
});

export function forecastKey(subscriptionId: string): string {
  return `forecast:${subscriptionId}`;
}
