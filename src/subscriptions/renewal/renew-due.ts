import { handleTogether } from '../../platform/due-together.ts';
import { renewalKey, renewSubscriptionJob } from '../jobs.ts';
import { renewSubscriptions } from './renew-subscription.ts';
import type { RenewalWorld } from './renewal-world.ts';

/** More make a transaction long, during which other events of their apps wait. */
const TOGETHER = 200;

/** Does what is due for a subscription, and together with it for up to 199 others that are due now. */
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
