/** A gateway with subscriptions in their trial, whose payers have signed for the real contract. */
import { erc20Abi, type Hex, maxUint256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type BillingInterval, type Prisma, transaction } from '../../prisma/client.ts';
import { consentHash, consentToJson, consentTypedData, type RecurringConsent } from '../../src/escrow/consent.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { uuidToBytes32 } from '../../src/escrow/terms.ts';
import type { LocalAccount } from '../../src/local/local-accounts.ts';
import { newId } from '../../src/platform/identifier.ts';
import { consentPeriod } from '../../src/subscriptions/billing-period.ts';
import { renewSubscription } from '../../src/subscriptions/renewal/renew-subscription.ts';
import { scheduleRenewal } from '../../src/subscriptions/schedule-renewal.ts';
import { openGateway } from '../setup/gateway/gateway.ts';

export type Renewals = Awaited<ReturnType<typeof openRenewals>>;

export const HOUR = 3_600;
export const DAY = 86_400;

type Wanted = {
  payer?: LocalAccount;
  /** The fiat amount, 10 by default. */
  amount?: string;
  interval?: BillingInterval;
  count?: number;
  /** In base units, 12.5 by default. */
  cap?: bigint;
  /** The duration of the trial, after which the first charge is due. One day by default. */
  trialSeconds?: number;
  tax?: { percentage: string; inclusive: boolean };
  /** Columns of the row that differ from what a checkout writes. */
  consentRow?: Partial<Prisma.SubscriptionConsentUncheckedCreateInput>;
};

export async function openRenewals(options: Parameters<typeof openGateway>[0] = {}) {
  const gateway = await openGateway(options);
  const { database, evm, app, clock } = gateway;
  const place = { chainId: evm.chainId, escrow: evm.escrow };

  const call = async (
    from: LocalAccount,
    request: { address: Hex; abi: unknown; functionName: string; args: unknown[] },
  ) => {
    const hash = await evm
      .walletFor(from.privateKey)
      .writeContract(request as Parameters<ReturnType<typeof evm.walletFor>['writeContract']>[0]);
    await evm.publicClient.waitForTransactionReceipt({ hash });
  };

  /** A plan of its own, with one price. */
  const makePrice = async (wanted: Pick<Wanted, 'amount' | 'interval' | 'count' | 'tax'> & { currency?: string }) => {
    const { tax } = wanted;
    const taxRate = tax
      ? await database.taxRate.create({
          data: { id: newId(), merchantId: gateway.scope.merchantId, displayName: 'VAT', ...tax },
        })
      : null;
    const plan = await database.productPlan.create({
      data: { id: newId(), appId: app.id, name: 'Gold', planType: 'SUBSCRIPTION', taxRateId: taxRate?.id ?? null },
    });
    return await database.productPlanPrice.create({
      data: {
        id: newId(),
        productPlanId: plan.id,
        amount: wanted.amount ?? '10',
        currency: wanted.currency ?? 'USD',
        billingInterval: wanted.interval ?? 'MONTH',
        billingIntervalCount: wanted.count ?? 1,
        isDefault: true,
      },
    });
  };

  /** An ACTIVE subscription in its trial. The first charge, of period 0, is due at the end of the trial. */
  const subscribe = async (wanted: Wanted = {}) => {
    const payer = wanted.payer ?? evm.payers[0];
    const price = await makePrice(wanted);
    const now = clock.now();
    const start = Math.floor(now.getTime() / 1000) + (wanted.trialSeconds ?? DAY);
    const trialEnd = new Date(start * 1000);
    const [id, customerAccountId, walletId] = [newId(), newId(), newId()];
    await database.customerAccount.create({ data: { id: customerAccountId, appId: app.id } });
    await database.customerWallet.create({
      data: { id: walletId, customerAccountId, chainId: evm.chainId, walletAddress: payer.address },
    });
    const consent: RecurringConsent = {
      subscriptionId: uuidToBytes32(id),
      payer: payer.address,
      merchant: evm.merchant.address,
      token: evm.usdc.address,
      capPerPeriod: wanted.cap ?? 12_500_000n,
      start,
      ...consentPeriod(wanted.interval ?? 'MONTH', wanted.count ?? 1),
      end: 0,
      feeBps: 100,
      feeRecipient: evm.feeRecipient.address,
      operator: evm.operator.address,
      arbiter: evm.arbiter.address,
      timelock: 100,
      disputeWindow: 50,
      disputeTimeout: 30 * DAY,
      timeoutPayerBps: 10_000,
    };
    const consentId = consentHash(consent);
    await database.subscription.create({
      data: {
        id,
        appId: app.id,
        customerAccountId,
        customerWalletId: walletId,
        productPlanId: price.productPlanId,
        productPlanPriceId: price.id,
        status: 'ACTIVE',
        trialStart: now,
        trialEnd,
        currentPeriodStart: now,
        currentPeriodEnd: trialEnd,
        billingCycleAnchor: trialEnd,
      },
    });
    await database.subscriptionConsent.create({
      data: {
        consentId,
        subscriptionId: id,
        quoteId: newId(),
        chainId: evm.chainId,
        tokenKey: evm.usdc.key,
        walletAddress: payer.address,
        method: 'APPROVAL',
        consent: consentToJson(consent),
        capPerPeriod: consent.capPerPeriod.toString(),
        cryptoAmount: '10000000',
        exchangeRate: '1',
        quoteExpiresAt: now,
        signedAt: now,
        acceptedAt: now,
        payerSignature: await privateKeyToAccount(payer.privateKey).signTypedData(
          consentTypedData({ ...place, consent }),
        ),
        ...wanted.consentRow,
      },
    });
    await transaction(database, async (tx) => {
      const pendingJobId = await scheduleRenewal(tx, { subscriptionId: id, runAt: trialEnd });
      await tx.subscription.update({
        where: { id },
        data: { authorizationChainId: evm.chainId, consentId, pendingJobId },
      });
    });
    return { id, consent, consentId, price, walletId, trialEnd };
  };

  return {
    ...gateway,
    makePrice,
    subscribe,
    subscriptionOf: (id: string) => database.subscription.findUniqueOrThrow({ where: { id } }),
    /** Moves clock and chain to an instant, and processes what is due then. */
    async goTo(instant: Date, settle = true) {
      // Blocks have whole seconds: two more ensure that the chain has reached the instant.
      const seconds = Math.ceil((instant.getTime() - clock.now().getTime()) / 1000) + 2;
      if (seconds > 0) await gateway.passTime(seconds);
      if (settle) await gateway.settleDown();
    },
    /** Ends every subscription of earlier tests, so that none of them is charged. */
    async forget() {
      await database.subscription.updateMany({ data: { status: 'CANCELLED' } });
      await database.renewalAttempt.deleteMany({ where: { status: 'PENDING' } });
      await database.$queryRaw`
        SELECT count(graphile_worker.remove_job(key)) FROM graphile_worker.jobs WHERE key ~ '^(subscription|forecast):'`;
    },
    /** One renewal, as its job does it. */
    renew: (id: string) => renewSubscription(gateway.action, { subscriptionId: id }),
    allow: (payer: LocalAccount, amount: bigint = maxUint256) =>
      call(payer, { address: evm.usdc.address, abi: erc20Abi, functionName: 'approve', args: [evm.escrow, amount] }),
    give: (from: LocalAccount, to: LocalAccount, amount: bigint) =>
      call(from, { address: evm.usdc.address, abi: erc20Abi, functionName: 'transfer', args: [to.address, amount] }),
    revoke: (payer: LocalAccount, consent: RecurringConsent) =>
      call(payer, { address: evm.escrow, abi: escrowAbi, functionName: 'revoke', args: [consent] }),
    balance: (holder: LocalAccount) =>
      evm.publicClient.readContract({
        address: evm.usdc.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [holder.address],
      }),
    invoices: (id: string) =>
      database.invoice.findMany({
        where: { subscriptionId: id },
        orderBy: { periodStart: 'asc' },
        include: { items: { orderBy: { position: 'asc' } } },
      }),
    intentOf: (id: string | null | undefined) => database.paymentIntent.findUniqueOrThrow({ where: { id: id ?? '' } }),
    attempts: (id: string) =>
      database.renewalAttempt.findMany({ where: { subscriptionId: id }, orderBy: { id: 'asc' } }),
    /** The event types of a subscription, without their prefix. */
    async eventTypes(id: string): Promise<string[]> {
      const events = await database.event.findMany({ where: { resourceId: id }, orderBy: { sequence: 'asc' } });
      return events.map((event) => event.type.replace('subscription.', ''));
    },
    /** The pending job of the subscription. */
    async waitingJob(id: string): Promise<{ id: string; runAt: Date } | null> {
      const rows = await database.$queryRaw<{ id: string; runAt: Date }[]>`
        SELECT id::text, run_at AS "runAt" FROM graphile_worker.jobs WHERE key = ${`subscription:${id}`}`;
      return rows[0] ?? null;
    },
  };
}
