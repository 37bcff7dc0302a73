import type { App, PaymentLink, PlanType } from '../../../prisma/client.ts';
import { NATIVE } from '../../chains/chain.ts';
import type { CheckoutWorld } from '../checkout-world.ts';
import { type Payout, payableTokens, payoutOn } from '../list-checkout-options.ts';

type LinkToCheck = Pick<PaymentLink, 'allowedChains' | 'allowedTokens'> & {
  app: Pick<App, 'mode' | 'captureMode'> & { payoutAddresses: readonly Payout[] };
  productPlan: { planType: PlanType } | null;
};

/**
 * Whether a payer has any way to pay a link: a token that it allows, on a chain on which the app has a payout address that can be paid.
 * Chains in `paused` do not count. Prices are not read, so a token without a price still counts.
 */
export function isLinkPayable(
  world: Pick<CheckoutWorld, 'registry' | 'config'>,
  link: LinkToCheck,
  { paused }: { paused: ReadonlySet<number> },
): boolean {
  const { app, allowedChains, allowedTokens } = link;
  const isRecurring = link.productPlan?.planType === 'SUBSCRIPTION';
  const mode = isRecurring ? 'SUBSCRIPTION' : 'PAYMENT';
  const paymentIntent = { allowedChains, allowedTokens, captureMode: app.captureMode };
  return payableTokens(world, { app, mode, allowedChains, allowedTokens, paymentIntent }).some(
    ({ chain, token }) =>
      !paused.has(chain.chainId) &&
      payoutOn({ app }, chain)?.sink === null &&
      // Charges of a subscription are pulled by allowance, which a native coin does not have.
      !(isRecurring && token.address === NATIVE),
  );
}
