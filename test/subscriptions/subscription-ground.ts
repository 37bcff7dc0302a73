/** A gateway whose payers start subscriptions like a wallet, by carrying out the steps. */
import { type Address, erc20Abi, type Hex } from 'viem';
import type { AuthorizationMethod, BillingInterval } from '../../prisma/client.ts';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { openSolanaNodes } from '../../src/chains/solana/open-solana-nodes.ts';
import type { CheckoutWorld } from '../../src/checkout/checkout-world.ts';
import type { PaymentStep } from '../../src/checkout/payment-step.ts';
import { newId } from '../../src/platform/identifier.ts';
import { fixedPrices } from '../../src/prices/sources/fixed-prices.ts';
import { createSubscriptionCheckout } from '../../src/subscriptions/checkout/create-subscription-checkout.ts';
import { confirmConsent } from '../../src/subscriptions/consent/confirm-consent.ts';
import { prepareConsent } from '../../src/subscriptions/consent/prepare-consent.ts';
import { signStep } from '../checkout/sign-step.ts';
import { openGateway } from '../setup/gateway/gateway.ts';

export type Payer = { address: Address; privateKey: Hex };
export type SubscriptionGround = Awaited<ReturnType<typeof openSubscriptionGround>>;

type PriceFields = { amount?: string; interval?: BillingInterval; count?: number; trialPeriodDays?: number };

export async function openSubscriptionGround() {
  const gateway = await openGateway();
  const { action, clock, evm, app, database, scope } = gateway;
  await database.payoutAddress.create({ data: { appId: app.id, family: 'EVM', address: evm.merchant.address } });
  const world: CheckoutWorld = {
    ...action,
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    prices: fixedPrices({ clock }, ''),
    config: {
      ...action.config,
      quoteSeconds: 600,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
  const usdc = { to: evm.usdc.address, value: 0n };
  /** A payer without the allowance that the ground set. */
  const freshPayer = async (index: 1 | 2): Promise<Payer> => {
    await gateway.send(evm.payers[index], { ...usdc, data: approveData(evm.escrow, 0n) });
    return evm.payers[index];
  };
  const allowanceOf = (payer: Payer, token: Address = evm.usdc.address) =>
    evm.publicClient.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [payer.address, evm.escrow],
    });
  /** A PENDING subscription, of a plan with 20 % tax on top. */
  const subscribe = async (fields: PriceFields = {}) => {
    const [taxRateId, productPlanId, productPlanPriceId, customerAccountId] = [newId(), newId(), newId(), newId()];
    await database.taxRate.create({
      data: { id: taxRateId, merchantId: scope.merchantId, displayName: 'VAT', percentage: '20' },
    });
    await database.productPlan.create({
      data: { id: productPlanId, appId: app.id, name: 'Gold', planType: 'SUBSCRIPTION', taxRateId },
    });
    await database.productPlanPrice.create({
      data: {
        id: productPlanPriceId,
        productPlanId,
        amount: fields.amount ?? '10',
        billingInterval: fields.interval ?? 'MONTH',
        billingIntervalCount: fields.count ?? 1,
        trialPeriodDays: fields.trialPeriodDays ?? null,
        isDefault: true,
      },
    });
    await database.customerAccount.create({ data: { id: customerAccountId, appId: app.id, name: 'Ada' } });
    return await database.subscription.create({
      data: { id: newId(), appId: app.id, customerAccountId, productPlanId, productPlanPriceId },
    });
  };
  const openSession = async (subscriptionId: string) =>
    (await createSubscriptionCheckout(world, { scope, subscriptionId, options: {} })).session;
  const prepare = (sessionId: string, payer: Payer, method: AuthorizationMethod, symbol = 'USDC') =>
    prepareConsent(world, {
      scope,
      sessionId,
      input: { chainId: evm.chainId, tokenKey: `${symbol}-${evm.chainId}`, method, walletAddress: payer.address },
    });
  const doSteps = async (payer: Payer, steps: readonly PaymentStep[]) => {
    const signatures: Record<string, Hex> = {};
    for (const step of steps) {
      if (step.kind === 'signTypedData') signatures[step.name] = await signStep(payer, step);
      if (step.kind === 'transaction') {
        await gateway.send(payer, { to: step.to, data: step.data, value: BigInt(step.value) });
      }
    }
    return signatures;
  };
  const confirm = (sessionId: string, signatures: Record<string, Hex>, quoteId?: string) =>
    confirmConsent(world, { scope, sessionId, input: { signatures, quoteId } });
  /** The time of the queue's next retry. */
  const nextTry = async (): Promise<Date | undefined> => {
    const queued = await database.outgoingTransaction.findFirst({
      where: { status: 'QUEUED', notBefore: { gt: clock.now() } },
      orderBy: { notBefore: 'asc' },
    });
    return queued?.notBefore ?? undefined;
  };
  /** Processes what is due, with any number of retries while the permit is not mined. */
  const come = async () => {
    await gateway.settleDown();
    await gateway.passTime(2);
    await gateway.settleDown();
    for (let next = await nextTry(); next; next = await nextTry()) {
      await gateway.passTime(Math.ceil((next.getTime() - clock.now().getTime()) / 1000) + 1);
      await gateway.settleDown();
    }
  };
  /** Creates a subscription and makes it ACTIVE. */
  const begin = async (payer: Payer, method: AuthorizationMethod, fields: PriceFields & { symbol?: string } = {}) => {
    const { id } = await subscribe(fields);
    const session = await openSession(id);
    const { steps } = await prepare(session.id, payer, method, fields.symbol);
    await confirm(session.id, await doSteps(payer, steps));
    await come();
    return { id, session };
  };
  const read = (id: string) =>
    database.subscription.findUniqueOrThrow({
      where: { id },
      include: { consent: true, customerWallet: true, invoices: { include: { items: true } } },
    });
  const readSession = (id: string) => database.checkoutSession.findUniqueOrThrow({ where: { id } });
  return {
    ...gateway,
    checkout: world,
    freshPayer,
    allowanceOf,
    subscribe,
    openSession,
    prepare,
    doSteps,
    confirm,
    come,
    begin,
    readSubscription: read,
    readSession,
  };
}
