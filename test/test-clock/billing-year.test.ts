/**
 * A year of billing over a running gateway: four subscriptions of one payer, begun on the 31st of January, one of them with
 * a trial of two weeks, month by month to the end of the next, and every invoice, period, charge and balance of it.
 */
import { type Address, erc20Abi } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';

const DAY_MS = 86_400_000;
/** The tolerance for the blocks and the rounds that a charge takes. */
const LATE_MS = 600_000;
const FEE_BPS = 100n;

type Begun = {
  id: string;
  anchor: Date;
  months: number;
  amount: string;
  perCharge: bigint;
  charges: number;
  /** Its first charge is the renewal after the trial. */
  isTried: boolean;
};

let gateway: RunningGateway;
let payer: RunningGateway['evm']['payers'][0];
let begun: Begun[];
let before: Balances;
let after: Balances;

beforeAll(async () => {
  gateway = await openRunningGateway();
  [payer] = gateway.evm.payers;
  await gateway.advance({ to: nextJanuary31(gateway.clock.now()) });
  const taxRateId = (await post('/tax-rates', { displayName: 'VAT', percentage: 20 })).id;
  before = await balances();
  // The monthly one is due thirteen times, from the 31st of January to that of the next; a payer's allowance is for twelve
  // caps, each a quarter above the price.
  begun = [
    await subscribe({ taxRateId, amount: '10.00', gross: '12.00', interval: 'MONTH', count: 1, charges: 13 }),
    await subscribe({ taxRateId, amount: '25.00', gross: '30.00', interval: 'MONTH', count: 3, charges: 5 }),
    await subscribe({ taxRateId, amount: '99.99', gross: '119.99', interval: 'YEAR', count: 1, charges: 2 }),
    await subscribe({
      taxRateId,
      amount: '5.00',
      gross: '6.00',
      interval: 'MONTH',
      count: 1,
      charges: 12,
      trialDays: 14,
    }),
  ];
  const end = new Date(gateway.clock.now().getTime() + 366 * DAY_MS);
  const state = await gateway.advance({ to: end });
  expect(new Date(state.now).getTime()).toBeGreaterThanOrEqual(end.getTime());
  after = await balances();
}, 600_000);

describe('a year of billing', () => {
  it('has one paid invoice a period, each from the 31st or the last day of a shorter month to the next', async () => {
    for (const one of begun) {
      const invoices = await gateway.database.invoice.findMany({
        where: { subscriptionId: one.id },
        orderBy: { periodStart: 'asc' },
      });
      const periods = Array.from({ length: one.charges }, (_, k) => [
        monthsLater(one.anchor, one.months * k),
        monthsLater(one.anchor, one.months * (k + 1)),
      ]);
      expect(invoices.map(({ periodStart, periodEnd }) => [periodStart, periodEnd])).toEqual(periods);
      expect(invoices.every(({ status, total }) => status === 'PAID' && total.toFixed(2) === one.amount)).toBe(true);
    }
  });

  it('charges each period once, when it is due, and settles the charges', async () => {
    for (const one of begun) {
      const invoices = await gateway.database.invoice.findMany({
        where: { subscriptionId: one.id },
        include: { paymentIntent: { include: { transactions: true } } },
      });
      for (const { periodStart, paymentIntent } of invoices) {
        const late = (paymentIntent?.capturedAt?.getTime() ?? 0) - (periodStart?.getTime() ?? 0);
        expect(late).toBeGreaterThanOrEqual(-1000);
        expect(late).toBeLessThan(LATE_MS);
        expect(paymentIntent?.cryptoAmount?.toFixed()).toBe(String(one.perCharge));
        const authorized = paymentIntent?.transactions.filter(({ type }) => type === 'AUTHORIZE') ?? [];
        expect(authorized.map(({ status }) => status)).toEqual(['CONFIRMED']);
        const isSettled = (paymentIntent?.timelockEndsAt ?? new Date(0)) <= gateway.clock.now();
        expect(paymentIntent?.status).toBe(isSettled ? 'SETTLED' : 'CAPTURED');
      }
    }
  });

  it('leaves every subscription ACTIVE with its next job scheduled, and reports no failures', async () => {
    for (const one of begun) {
      const subscription = await gateway.database.subscription.findUniqueOrThrow({
        where: { id: one.id },
        include: { consent: true },
      });
      expect(subscription).toMatchObject({
        status: 'ACTIVE',
        captureRetryCount: 0,
        billingCycleAnchor: one.anchor,
        currentPeriodStart: monthsLater(one.anchor, one.months * (one.charges - 1)),
        currentPeriodEnd: monthsLater(one.anchor, one.months * one.charges),
        consent: { lastChargedPeriod: one.charges - 1 },
      });
      expect(subscription.pendingJobId).not.toBeNull();
      const events = await gateway.database.event.groupBy({
        by: ['type'],
        where: { resourceId: one.id },
        _count: true,
      });
      const counts = Object.fromEntries(events.map((event) => [event.type, event._count]));
      expect(counts).toMatchObject({
        'subscription.activated': 1,
        'subscription.renewed': one.isTried ? one.charges : one.charges - 1,
      });
      expect(Object.keys(counts).filter((type) => /failed|past_due|cancelled/.test(type))).toEqual([]);
    }
  });

  it('numbers all invoices in order of time without a gap', async () => {
    const invoices = await gateway.database.invoice.findMany({
      where: { appId: gateway.scope.appId, invoiceNumber: { not: null } },
      orderBy: { invoiceNumber: 'asc' },
    });
    const count = begun.reduce((sum, one) => sum + one.charges, 0);
    expect(invoices.map(({ invoiceNumber }) => invoiceNumber)).toEqual(
      Array.from({ length: count }, (_, index) => `INV-${String(index + 1).padStart(6, '0')}`),
    );
    const starts = invoices.map(({ periodStart }) => periodStart?.getTime() ?? 0);
    const days = starts.map((start) => Math.floor(start / DAY_MS));
    expect(days).toEqual(days.toSorted((left, right) => left - right));
  });

  it('transfers exactly the charges to merchant and fee recipient, with the rest in escrow', async () => {
    const charged = begun.reduce((sum, one) => sum + one.perCharge * BigInt(one.charges), 0n);
    expect(before.payer - after.payer).toBe(charged);
    const settled = await gateway.database.paymentIntent.findMany({ where: { status: 'SETTLED' } });
    const paidOut = settled.map((intent) => BigInt(intent.cryptoAmount?.toFixed() ?? '0'));
    const fees = paidOut.reduce((sum, amount) => sum + (amount * FEE_BPS) / 10_000n, 0n);
    const total = paidOut.reduce((sum, amount) => sum + amount, 0n);
    expect(settled.length).toBeGreaterThan(15);
    expect(after.merchant - before.merchant).toBe(total - fees);
    expect(after.fee - before.fee).toBe(fees);
    expect(after.escrow - before.escrow).toBe(charged - total);
  });
});

async function post(path: string, body: object) {
  const answer = await gateway.rest('POST', path, { body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.body.data;
}

/** Subscribes through the checkout like a payer's wallet, until the first charge. */
async function subscribe(wanted: {
  taxRateId: string;
  amount: string;
  gross: string;
  interval: 'MONTH' | 'YEAR';
  count: number;
  charges: number;
  trialDays?: number;
}): Promise<Begun> {
  const { appId } = gateway.scope;
  const price = {
    amount: wanted.amount,
    billingInterval: wanted.interval,
    billingIntervalCount: wanted.count,
    trialPeriodDays: wanted.trialDays ?? null,
    isDefault: true,
  };
  const plan = await post('/product-plans', {
    name: 'Gold',
    planType: 'SUBSCRIPTION',
    taxRateId: wanted.taxRateId,
    prices: [price],
  });
  const customer = await post('/customers', { appId, email: 'ada@example.com' });
  const { id } = await post('/subscriptions', {
    appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  });
  const session = await post(`/subscriptions/${id}/checkout`, { uiMode: 'HEADLESS' });
  const { evm } = gateway;
  const way = { chainId: evm.chainId, tokenKey: evm.usdc.key, walletAddress: payer.address, method: 'APPROVAL' };
  // One allowance covers all consents of a wallet, so the payer approves the total of the three.
  await approve(1_000_000_000n);
  const prepared = await post(`/checkout-sessions/${session.id}/prepare`, way);
  const { signatures } = await gateway.doSteps(payer, prepared.steps);
  await post(`/checkout-sessions/${session.id}/confirm`, { quoteId: prepared.quote.id, signatures });
  // The clock arrives only after all work is done, so the first charge is confirmed.
  await gateway.advance({ seconds: 5 });
  const { status, billingCycleAnchor } = await gateway.database.subscription.findUniqueOrThrow({ where: { id } });
  expect(status).toBe('ACTIVE');
  const charged = await gateway.database.invoice.count({ where: { subscriptionId: id, status: 'PAID' } });
  expect(charged).toBe(wanted.trialDays ? 0 : 1);
  if (!billingCycleAnchor) throw new Error('An active subscription has an anchor.');
  expect(billingCycleAnchor.toISOString()).toContain(wanted.trialDays ? '-02-14T' : '-01-31T');
  return {
    id,
    anchor: billingCycleAnchor,
    months: (wanted.interval === 'YEAR' ? 12 : 1) * wanted.count,
    amount: wanted.gross,
    perCharge: BigInt(wanted.gross.replace('.', '')) * 10_000n,
    charges: wanted.charges,
    isTried: wanted.trialDays !== undefined,
  };
}

async function approve(amount: bigint): Promise<void> {
  const { evm } = gateway;
  const hash = await evm.walletFor(payer.privateKey).writeContract({
    address: evm.usdc.address,
    abi: erc20Abi,
    functionName: 'approve',
    args: [evm.escrow, amount],
  });
  await evm.publicClient.waitForTransactionReceipt({ hash });
}

type Balances = Awaited<ReturnType<typeof balances>>;

async function balances() {
  const { evm } = gateway;
  const of = (holder: Address) =>
    evm.publicClient.readContract({
      address: evm.usdc.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [holder],
    });
  return {
    payer: await of(payer.address),
    merchant: await of(evm.merchant.address),
    fee: await of(evm.feeRecipient.address),
    escrow: await of(evm.escrow),
  };
}

/** Ten in the morning, so that a slow start remains on that day. */
function nextJanuary31(now: Date): Date {
  const year = now.getUTCFullYear();
  const [next] = [year, year + 1].map((one) => new Date(Date.UTC(one, 0, 31, 10))).filter((date) => date > now);
  if (!next) throw new Error('There is always a next January.');
  return next;
}

/** The same day and time, or the last day of a shorter month. */
function monthsLater(anchor: Date, months: number): Date {
  const [year, month, day] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months, anchor.getUTCDate()];
  const timeMs = anchor.getTime() % DAY_MS;
  for (let tried = day; ; tried -= 1) {
    const start = Date.UTC(year, month, tried);
    if (new Date(start).getUTCDate() === tried) return new Date(start + timeMs);
  }
}
