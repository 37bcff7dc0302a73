import { describe, expect, it } from 'vitest';
import type { SubscriptionStatus } from '../../prisma/client.ts';
import {
  nextSubscriptionStatus,
  type SubscriptionTrigger,
  subscriptionStatuses,
  subscriptionTriggers,
} from '../../src/subscriptions/subscription.ts';

/** answers.md §5, pair by pair. Pairs that are not listed are rejected. */
const allowed: [SubscriptionStatus, SubscriptionTrigger, SubscriptionStatus][] = [
  ['PENDING', 'ACTIVATE', 'ACTIVE'],
  ['PENDING', 'CANCEL_NOW', 'CANCELLED'],
  ['ACTIVE', 'PAUSE', 'PAUSED'],
  ['ACTIVE', 'RETRIES_EXHAUSTED', 'PAST_DUE'],
  ['ACTIVE', 'CANCEL_NOW', 'CANCELLED'],
  ['ACTIVE', 'CANCEL_AT_PERIOD_END', 'ACTIVE'],
  ['ACTIVE', 'PERIOD_ENDED', 'CANCELLED'],
  ['ACTIVE', 'ACTIVATION_REVERTED', 'PENDING'],
  ['PAUSED', 'RESUME', 'ACTIVE'],
  ['PAUSED', 'CANCEL_NOW', 'CANCELLED'],
  ['PAUSED', 'CANCEL_AT_PERIOD_END', 'PAUSED'],
  ['PAUSED', 'PERIOD_ENDED', 'CANCELLED'],
  ['PAST_DUE', 'RECOVER', 'ACTIVE'],
  ['PAST_DUE', 'GRACE_OVER', 'CANCELLED'],
  ['PAST_DUE', 'GRACE_PAUSED', 'PAUSED'],
  ['PAST_DUE', 'CANCEL_NOW', 'CANCELLED'],
  ['PAST_DUE', 'CANCEL_AT_PERIOD_END', 'PAST_DUE'],
  ['PAST_DUE', 'PERIOD_ENDED', 'CANCELLED'],
];

describe('the status of a subscription', () => {
  const pairs = subscriptionStatuses.flatMap((from) => subscriptionTriggers.map((trigger) => [from, trigger] as const));

  it.each(pairs)('changes from %s on %s only as specified', (from, trigger) => {
    const expected = allowed.find(([state, cause]) => state === from && cause === trigger)?.[2] ?? null;
    expect(nextSubscriptionStatus(from, trigger)).toBe(expected);
  });
});
