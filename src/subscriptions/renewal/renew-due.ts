import { handleTogether } from '../../platform/due-together.ts';
import { renewalKey, renewSubscriptionJob } from '../jobs.ts';
import { renewSubscriptions } from './renew-subscription.ts';
import type { RenewalWorld } from './renewal-world.ts';

/** A larger set would hold its locks, and the event cursors of its apps, for too long. */
const TOGETHER = 200;

/** Renews a subscription together with up to 199 others that are due. */
export async function renewDue(world: RenewalWorld, payload: { subscriptionId: string }): Promise<void> {
  const together = {
    job: renewSubscriptionJob,
    keyOf: (due: typeof payload) => renewalKey(due.subscriptionId),
    limit: TOGETHER,
    work: (due: readonly (typeof payload)[]) =>
      renewSubscriptions(
        world,
        due.map(({ subscriptionId }) => subscriptionId),
      ),
  };
  await handleTogether(world, together, payload);
}
