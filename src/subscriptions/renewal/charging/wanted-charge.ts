import type { SubscriptionConsent } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { placeOf } from '../../charge/prepare-charge.ts';
import { isPermitExpired } from '../../forecast/forecast-of.ts';
import type { WantedCharge } from '../renewal-cause.ts';
import type { RenewableSubscription, RenewalWorld } from '../renewal-world.ts';

/** A charge of `amount` base units, to be compared with what its payer holds and signed. */
export function wantedCharge(
  world: Pick<RenewalWorld, 'registry'>,
  request: { subscription: RenewableSubscription; consent: SubscriptionConsent; amount: bigint; now: Date },
): WantedCharge {
  const { subscription, consent, amount, now } = request;
  return {
    amount,
    cap: toBigInt(consent.capPerPeriod),
    token: placeOf(world.registry, consent).token,
    walletAddress: consent.walletAddress,
    isPermitExpired: isPermitExpired({ subscription, consent, now }),
  };
}
