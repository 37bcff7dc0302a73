/** Subscriptions of a real checkout whose renewals fail, and payers who repair them. */
import { encodeFunctionData, erc20Abi } from 'viem';
import type { AuthorizationMethod } from '../../../prisma/client.ts';
import type { Scope } from '../../../src/auth/principal.ts';
import { approveData } from '../../../src/chains/evm/erc20.ts';
import { createConsentRenewal } from '../../../src/subscriptions/checkout/create-consent-renewal.ts';
import { renewSubscription } from '../../../src/subscriptions/renewal/renew-subscription.ts';
import { openSubscriptionGround, type Payer } from '../subscription-ground.ts';

export type RepairGround = Awaited<ReturnType<typeof openRepairGround>>;

export async function openRepairGround() {
  const ground = await openSubscriptionGround();
  const { database, evm, clock, scope } = ground;
  const allow = (payer: Payer, amount: bigint) =>
    ground.send(payer, { to: evm.usdc.address, value: 0n, data: approveData(evm.escrow, amount) });
  const goTo = async (instant: Date) => {
    const seconds = Math.ceil((instant.getTime() - clock.now().getTime()) / 1000) + 2;
    if (seconds > 0) await ground.passTime(seconds);
    await ground.settleDown();
  };
  const endOf = async (id: string) => {
    const { currentPeriodEnd } = await ground.readSubscription(id);
    if (currentPeriodEnd === null) throw new Error('It has not started.');
    return currentPeriodEnd;
  };
  const openRenewal = async (subscriptionId: string, of: Scope = scope) =>
    (await createConsentRenewal(ground.checkout, { scope: of, subscriptionId, options: {} })).session;
  return {
    ...ground,
    allow,
    goTo,
    endOf,
    openRenewal,
    give: (from: Payer, to: Payer, amount: bigint) =>
      ground.send(from, {
        to: evm.usdc.address,
        value: 0n,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to.address, amount] }),
      }),
    renew: (id: string) => renewSubscription(ground.action, { subscriptionId: id }),
    balanceOf: (payer: { address: `0x${string}` }) =>
      evm.publicClient.readContract({
        address: evm.usdc.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [payer.address],
      }),
    /** An ACTIVE subscription whose payer withdrew the allowance, so that the charge of its second period failed. */
    async fail(payer: Payer) {
      const { id } = await ground.begin(payer, 'APPROVAL');
      await allow(payer, 0n);
      await goTo(await endOf(id));
      return id;
    },
    /** Prepares, signs and confirms a session like a wallet. */
    async sign(sessionId: string, payer: Payer, method: AuthorizationMethod) {
      const prepared = await ground.prepare(sessionId, payer, method);
      const signatures = await ground.doSteps(payer, prepared.steps);
      const session = await ground.confirm(sessionId, signatures, prepared.quote.id);
      return { prepared, signatures, session };
    },
    /** Processes everything that is due within two minutes. */
    async settle() {
      for (let round = 0; round < 6; round += 1) await goTo(new Date(clock.now().getTime() + 18_000));
    },
    attempts: (id: string) =>
      database.renewalAttempt.findMany({ where: { subscriptionId: id }, orderBy: { id: 'asc' } }),
    invoices: (id: string) =>
      database.invoice.findMany({ where: { subscriptionId: id }, orderBy: { periodStart: 'asc' } }),
    async eventTypes(id: string) {
      const events = await database.event.findMany({ where: { resourceId: id }, orderBy: { sequence: 'asc' } });
      return events.map(({ type }) => type.replace('subscription.', ''));
    },
  };
}
