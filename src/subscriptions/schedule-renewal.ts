import type { DatabaseTransaction, Subscription } from '../../prisma/client.ts';
import { changes } from '../../prisma/written-row.ts';
import { addJob, addJobs, removeJob } from '../platform/jobs.ts';
import { renewalKey, renewSubscriptionJob } from './jobs.ts';

/** How often a pending charge is checked if nothing else triggers a check. */
export const FOLLOW_MS = 60_000;

/** How long to wait after a transient failure, which is not counted. */
export const PASSING_MS = 60_000;

/** Schedules the next check of the subscription at `runAt`, replacing an earlier schedule; returns `pendingJobId`. */
export function scheduleRenewal(
  tx: DatabaseTransaction,
  request: { subscriptionId: string; runAt: Date },
): Promise<string> {
  const { subscriptionId, runAt } = request;
  return addJob(tx, renewSubscriptionJob, { subscriptionId }, { runAt, key: renewalKey(subscriptionId) });
}

/** A check of a subscription at `runAt`. */
export type NextCheck = { subscriptionId: string; runAt: Date };

/** Schedules the next checks of several subscriptions, whose locks the caller holds, and writes their `pendingJobId`. */
export async function scheduleRenewals(tx: DatabaseTransaction, checks: readonly NextCheck[]): Promise<void> {
  if (checks.length === 0) return;
  const jobs = checks.map(({ subscriptionId, runAt }) => ({
    payload: { subscriptionId },
    key: renewalKey(subscriptionId),
    runAt,
  }));
  const added = await addJobs(tx, renewSubscriptionJob, jobs);
  const rows = checks.map(({ subscriptionId: id }) => ({ id, pendingJobId: added.get(renewalKey(id)) ?? null }));
  await tx.$executeRaw(changes<Subscription, 'pendingJobId'>({ name: 'subscription' }, ['pendingJobId'], rows));
}

/** Removes the scheduled check of the subscription; returns null as the new `pendingJobId`. */
export async function unscheduleRenewal(tx: DatabaseTransaction, subscriptionId: string): Promise<null> {
  await removeJob(tx, renewalKey(subscriptionId));
  return null;
}
