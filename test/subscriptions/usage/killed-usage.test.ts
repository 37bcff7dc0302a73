/**
 * Many usage events, a tenth of them twice and all in disorder, through the REST API of a process that is killed in between: what is
 * charged on chain equals an independent calculation to the base unit. 20,000 events by default; USAGE_EVENTS sets another number.
 */
import { beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { type MeteringInput, meteringOf } from '../../../src/catalog/metering.ts';
import { renewSubscriptions } from '../../../src/subscriptions/renewal/renew-subscription.ts';
import { exactCents, type Priced } from '../../catalog/exact-usage.ts';
import { type PartProcess, spawnApi } from '../../setup/gateway/part-process.ts';
import { DAY, HOUR, openRenewals, type Renewals } from '../renewal-ground.ts';

const EVENTS = Number(process.env.USAGE_EVENTS ?? 20_000);
const DUPLICATES = Math.floor(EVENTS / 10);
const BATCH = 1000;
const SENDERS = 4;
/** 10⁻⁹ units: quantities have up to 9 decimals. */
const NANO = 1_000_000_000n;
const CAP = 10n ** 13n;

const prices: (Priced & { base: string; taxPercent: bigint })[] = [
  { scheme: 'PER_UNIT', unitAmount: '0.000123456789', base: '5', taxPercent: 0n },
  {
    scheme: 'GRADUATED',
    includedUnits: '1000.5',
    tiers: [
      { upTo: '10000', unitAmount: '0.01', flatAmount: '1.25' },
      { upTo: '50000.25', unitAmount: '0.0075' },
      { upTo: null, unitAmount: '0.003333333333', flatAmount: '7' },
    ],
    base: '0',
    taxPercent: 19n,
  },
  {
    scheme: 'VOLUME',
    tiers: [
      { upTo: '2000', unitAmount: '0.5' },
      { upTo: null, unitAmount: '0.000777777777', flatAmount: '3.33' },
    ],
    base: '12.34',
    taxPercent: 7n,
  },
];

let ground: Renewals;
let key: string;
beforeAll(async () => {
  ground = await openRenewals();
  await ground.allow(ground.evm.payers[0]);
  ({ secret: key } = await createApiKey(ground.action, {
    scope: { ...ground.scope, appId: ground.app.id },
    kind: 'SECRET',
  }));
});

/** A pseudo-random number for an index, the same in every run. */
function scattered(index: number, salt: number): number {
  let state = (index ^ Math.imul(salt, 0x9e3779b1)) >>> 0;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

const subscriptionOf = (index: number) => scattered(index, 1) % prices.length;
const nanosOf = (index: number) => ((BigInt(scattered(index, 2)) * 3n) % (4n * NANO)) + 1n;
const printNanos = (nanos: bigint) => `${nanos / NANO}.${String(nanos % NANO).padStart(9, '0')}`;

/** A subscription in the middle of its first period, for which nothing has been charged. */
async function begin(price: (typeof prices)[number]): Promise<{ id: string; start: Date; end: Date }> {
  const { base, taxPercent, ...priced } = price;
  const tax = taxPercent === 0n ? undefined : { percentage: String(taxPercent), inclusive: false };
  const made = await ground.subscribe({
    interval: 'DAY',
    amount: base,
    cap: CAP,
    trialSeconds: -12 * HOUR,
    ...(tax ? { tax } : {}),
  });
  const metering = meteringOf({ unitName: 'unit', capAmount: '9999999', ...priced } as MeteringInput);
  await ground.database.productPlanPrice.update({ where: { id: made.price.id }, data: { metering } });
  const [start, end] = [made.trialEnd, new Date(made.trialEnd.getTime() + DAY * 1000)];
  await ground.database.subscription.update({
    where: { id: made.id },
    data: { trialStart: null, trialEnd: null, currentPeriodStart: start, currentPeriodEnd: end },
  });
  return { id: made.id, start, end };
}

/** The indexes of all events and of the repeated ones, in disorder. */
function disorder(): Int32Array {
  const order = new Int32Array(EVENTS + DUPLICATES);
  for (let index = 0; index < order.length; index += 1) {
    order[index] = index < EVENTS ? index : scattered(index, 3) % EVENTS;
  }
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = scattered(last, 4) % (last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

/** Cents of the whole invoice: the base fee and the usage, each taxed on its own and rounded half up. */
function expectedCents({ base, taxPercent, ...priced }: (typeof prices)[number], nanos: bigint): bigint {
  const [whole = '0', fraction = ''] = base.split('.');
  const baseCents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  const taxed = (cents: bigint) => cents + (2n * cents * taxPercent + 100n) / 200n;
  return taxed(baseCents) + taxed(exactCents(priced, { above: nanos, below: NANO }));
}

it('charges usage exactly, despite duplicates, disorder and kills of the API', {
  timeout: 3_600_000,
}, async () => {
  const begun = await Promise.all(prices.map(begin));
  const settings = {
    DATABASE_URL: ground.url,
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
  };
  let api: PartProcess & { url: string } = await spawnApi(settings);
  const order = disorder();
  const batches = Math.ceil(order.length / BATCH);
  const killAt = Math.floor(batches * 0.4);
  const counts = { accepted: 0, duplicates: 0, rejected: 0, retries: 0 };
  const startedAt = Date.now();
  const bodyOf = (batch: number) => {
    const events = Array.from(order.subarray(batch * BATCH, (batch + 1) * BATCH), (index) => {
      const { id, start } = begun[subscriptionOf(index)] ?? { id: '', start: new Date(0) };
      const timestamp = new Date(start.getTime() + (scattered(index, 5) % (11 * HOUR * 1000))).toISOString();
      return { eventId: `event-${index}`, subscriptionId: id, quantity: printNanos(nanosOf(index)), timestamp };
    });
    return JSON.stringify({ events });
  };
  /** Sends a batch until it gets a response, like a client that does not know its outcome. */
  const send = async (batch: number): Promise<void> => {
    const body = bodyOf(batch);
    for (;;) {
      try {
        const response = await fetch(`${api.url}/usage`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body,
        });
        const answer = (await response.json()) as { data?: typeof counts; error?: { code: string } };
        if (response.status === 200 && answer.data) {
          for (const name of ['accepted', 'duplicates', 'rejected'] as const) counts[name] += answer.data[name];
          return;
        }
        if (response.status < 500 && response.status !== 429) throw new TypeError(JSON.stringify(answer));
      } catch (error) {
        // The connection was closed or could not be opened.
        if (error instanceof TypeError && error.message !== 'fetch failed' && error.message !== 'terminated')
          throw error;
      }
      counts.retries += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  let next = 0;
  let restarted: Promise<void> = Promise.resolve();
  const sender = async () => {
    while (next < batches) {
      const batch = next;
      next += 1;
      const sent = send(batch);
      if (batch === killAt) {
        api.process.kill('SIGKILL');
        restarted = spawnApi(settings).then((again) => {
          api = again;
        });
      }
      await sent;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await restarted;
  const seconds = (Date.now() - startedAt) / 1000;

  const nanos = prices.map(() => 0n);
  for (let index = 0; index < EVENTS; index += 1) {
    const which = subscriptionOf(index);
    nanos[which] = (nanos[which] ?? 0n) + nanosOf(index);
  }
  expect(counts.rejected).toBe(0);
  expect(counts.retries).toBeGreaterThan(0);
  expect(await ground.database.usageEvent.count()).toBe(EVENTS);
  // Batches that were committed without a response were sent again, and all of their events were duplicates.
  expect(counts.accepted + counts.duplicates).toBe(EVENTS + DUPLICATES);
  expect(counts.accepted).toBeLessThanOrEqual(EVENTS);

  const latest = new Date(Math.max(...begun.map(({ end }) => end.getTime())));
  await ground.goTo(new Date(latest.getTime() + HOUR * 1000), false);
  const billedAt = Date.now();
  const moved = await ground.gained(async () => {
    await renewSubscriptions(
      ground.action,
      begun.map(({ id }) => id),
    );
    await ground.settleDown();
  });
  const expected = prices.map((price, index) => expectedCents(price, nanos[index] ?? 0n));
  for (const [index, { id }] of begun.entries()) {
    const [invoice] = await ground.invoices(id);
    expect([invoice?.status, invoice?.total.times(100).toFixed(0)]).toEqual(['PAID', String(expected[index])]);
    const intent = await ground.intentOf(invoice?.paymentIntentId);
    expect(BigInt(intent.cryptoAmount?.toFixed(0) ?? 0)).toBe((expected[index] ?? 0n) * 10_000n);
    const line = invoice?.items[1]?.usage as { quantity: string } | undefined;
    const [units = '0', fraction = ''] = (line?.quantity ?? '').split('.');
    expect(BigInt(units) * NANO + BigInt(fraction.padEnd(9, '0'))).toBe(nanos[index]);
  }
  expect(moved.payer).toBe(-expected.reduce((sum, cents) => sum + cents, 0n) * 10_000n);
  if (process.env.USAGE_EVENTS) {
    console.log({
      ...counts,
      events: EVENTS,
      seconds,
      perSecond: Math.round((EVENTS + DUPLICATES) / seconds),
      billedMs: Date.now() - billedAt,
    });
  }
});
