/** Forecasts of renewals, and their warnings before the renewal is due. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forecastOf } from '../../src/subscriptions/forecast/forecast-of.ts';
import { nextLookAt, renewalForecast } from '../../src/subscriptions/forecast/renewal-forecast.ts';
import { sweepRenewals } from '../../src/subscriptions/renewal/sweep-renewals.ts';
import { DAY, HOUR, openRenewals, type Renewals } from './renewal-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  await ground.allow(ground.evm.payers[0]);
});

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);

async function forecast(id: string) {
  const { consent, outlook, ...subscription } = await ground.database.subscription.findUniqueOrThrow({
    where: { id },
    include: { consent: true, outlook: true },
  });
  return forecastOf({ subscription, consent, outlook, now: ground.clock.now() });
}

describe('the renewal forecast', () => {
  const fine = { isRevoked: false, isPermitExpired: false, allowance: 10n, balance: 10n, expectedAmount: 10n };
  it.each([
    ['OK', {}],
    ['OK', { allowance: null, balance: null }],
    ['LOW_BALANCE', { balance: 9n }],
    ['LOW_ALLOWANCE', { allowance: 9n, balance: 9n }],
    ['PERMIT_EXPIRED', { isPermitExpired: true, allowance: null }],
    ['OK', { isPermitExpired: true }],
    ['REVOKED', { isRevoked: true, allowance: 0n }],
  ] as const)('is %s for %o', (expected, figures) => {
    expect(renewalForecast({ ...fine, ...figures })).toBe(expected);
  });

  it('is calculated 7, 3 and 1 days before the renewal', () => {
    const dueAt = new Date('2027-03-31T00:00:00Z');
    const looks = [new Date('2027-03-01T00:00:00Z')];
    for (let look = nextLookAt(dueAt, looks[0] ?? dueAt); look; look = nextLookAt(dueAt, look)) looks.push(look);
    expect(looks.slice(1).map((look) => look.toISOString().slice(0, 10))).toEqual([
      '2027-03-24',
      '2027-03-28',
      '2027-03-30',
    ]);
  });

  it('warns once per period about a reduced allowance, and is OK again when the allowance is restored', async () => {
    const { id, trialEnd } = await ground.subscribe({ trialSeconds: 20 * DAY });
    expect(await forecast(id)).toBe('OK');
    await ground.allow(ground.evm.payers[0], 3_000_000n);
    await sweepRenewals(ground);
    await ground.settleDown();
    expect(await ground.eventTypes(id)).toEqual([]);
    await ground.goTo(later(trialEnd, -7 * DAY + 60));
    await sweepRenewals(ground);
    await ground.settleDown();
    expect(await ground.eventTypes(id)).toEqual(['renewal_at_risk']);
    expect(await forecast(id)).toBe('LOW_ALLOWANCE');
    const event = await ground.database.event.findFirstOrThrow({ where: { resourceId: id } });
    expect(event.data).toMatchObject({ id, status: 'ACTIVE', renewalForecast: 'LOW_ALLOWANCE' });

    await ground.goTo(later(trialEnd, -3 * DAY + 60));
    expect(await ground.eventTypes(id)).toEqual(['renewal_at_risk']);
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(trialEnd, -DAY + 60));
    expect(await forecast(id)).toBe('OK');
    await ground.goTo(trialEnd);
    expect(await ground.eventTypes(id)).toEqual(['renewal_at_risk', 'renewed']);
  });

  it('reads the balances of many payers in one call, and finds the one with too little', async () => {
    const [rich, poor, friend] = ground.evm.payers;
    const [one, two] = [
      await ground.subscribe({ payer: rich, trialSeconds: 6 * DAY }),
      await ground.subscribe({ payer: poor, trialSeconds: 6 * DAY }),
    ];
    await ground.allow(poor);
    const held = await ground.balance(poor);
    await ground.give(poor, friend, held - 9_999_999n);
    await sweepRenewals(ground);
    await ground.settleDown();
    await ground.give(friend, poor, held - 9_999_999n);
    expect([await forecast(one.id), await forecast(two.id)]).toEqual(['OK', 'LOW_BALANCE']);
    expect(await ground.eventTypes(two.id)).toEqual(['renewal_at_risk']);
  });

  it('is not calculated for a subscription that will not renew', async () => {
    const { id } = await ground.subscribe({ trialSeconds: 2 * HOUR });
    await ground.database.subscription.update({ where: { id }, data: { cancelAtPeriodEnd: true } });
    await ground.allow(ground.evm.payers[0], 0n);
    await sweepRenewals(ground);
    await ground.settleDown();
    expect(await ground.eventTypes(id)).toEqual([]);
  });
});
