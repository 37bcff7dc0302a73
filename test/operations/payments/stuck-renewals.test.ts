/** `ops payments stuck` for subscriptions whose renewals were not charged because of the payer. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openRenewals, type Renewals } from '../../subscriptions/renewal-ground.ts';
import { stuckAt } from './stuck-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  await ground.allow(ground.evm.payers[0]);
});

const stuck = (...args: string[]) => stuckAt(ground, ...args);

it('lists a revoked allowance until the renewal is charged', async () => {
  const { id, trialEnd } = await ground.subscribe();
  await ground.allow(ground.evm.payers[0], 3_000_000n);
  await ground.goTo(trialEnd);
  const [row, ...others] = await stuck();
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    waitsFor: 'ALLOWANCE',
    cause: 'PAYER_ALLOWANCE',
    of: 'subscription',
    id,
    appId: ground.app.id,
    chainId: ground.evm.chainId,
    amount: '10.00',
    unit: 'USD',
    why: expect.stringMatching(/^INSUFFICIENT_ALLOWANCE: The renewal takes 10 USDC; 0x\w+ allows 3 USDC\.$/),
    do: expect.stringMatching(/^Ask the customer to approve the escrow for USDC again/),
  });
  const [attempt] = await ground.attempts(id);
  expect(row?.since).toBe(attempt?.endedAt?.toISOString());
  expect(await stuck('--chain', '1')).toEqual([]);
  await ground.allow(ground.evm.payers[0]);
  await ground.goTo(new Date(ground.clock.now().getTime() + 3_700_000));
  expect(await stuck()).toEqual([]);
});

it('lists a wallet with insufficient balance, even after all retries', async () => {
  const { evm } = ground;
  const [payer, other] = evm.payers;
  const held = await ground.balance(payer);
  const { id, trialEnd } = await ground.subscribe();
  await ground.give(payer, other, held - 1_000_000n);
  await ground.goTo(trialEnd);
  const [first] = await stuck();
  expect(first).toMatchObject({ waitsFor: 'MONEY', cause: 'PAYER_BALANCE', id, amount: '10.00', unit: 'USD' });
  for (const hours of [2, 6, 24, 72]) await ground.goTo(new Date(trialEnd.getTime() + hours * 3_600_000 + 60_000));
  expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'PAST_DUE' });
  expect(await stuck()).toMatchObject([{ cause: 'PAYER_BALANCE', id, since: first?.since }]);
  await ground.give(other, payer, held - 1_000_000n);
});

it('lists a price without the payer’s consent as a task for a person', async () => {
  const { id, trialEnd } = await ground.subscribe({ amount: '20' });
  await ground.goTo(trialEnd);
  expect(await stuck()).toMatchObject([
    {
      waitsFor: 'PERSON',
      cause: 'CONSENT',
      id,
      why: 'CAP_EXCEEDED: The renewal takes 20 USDC; the payer has signed for at most 12.5 USDC a period.',
      do: expect.stringMatching(/^Have the customer consent again/),
    },
  ]);
});
