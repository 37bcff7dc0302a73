/** The time after a fault until the gateway responds, is ready, and completes a payment. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { openShopClient } from './shop-client.ts';
import type { Shop } from './shops.ts';
import { pay } from './stories.ts';
import type { Wallet } from './wallet.ts';

/** Milliseconds from the end of a fault. Null if it did not happen within the limit. */
export type Recovery = { answersMs: number | null; readyMs: number | null; moneyMs: number | null };
/** With the last response of /readyz other than 200. */
type Observed = Recovery & { notReady?: string | undefined };
export type Measured = Recovery & { fault: string; seconds: number };

const LOOK_EVERY_MS = 250;
const withId = z.object({ id: z.string() });
const intentShape = z.object({ status: z.string() });
const captured = new Set(['CAPTURED', 'SETTLED']);

/** One payment by a relayed permit, attempted from the first moment on, while /readyz is polled. */
export async function measureRecovery(
  world: { shop: Shop; origin: string; wallet: Wallet },
  { limitMs }: { limitMs: number },
): Promise<Observed> {
  const { shop, origin, wallet } = world;
  const since = performance.now();
  const passed = () => Math.round(performance.now() - since);
  const client = openShopClient({ origin, key: shop.key, answers: new Map() }, { patienceMs: limitMs });
  let answersMs: number | null = null;
  const money = async (): Promise<number | null> => {
    const body = { amount: '1.00', currency: 'USD', captureMode: 'AUTOMATIC', metadata: { story: 'probe' } };
    const { id } = await client.call(withId, { method: 'POST', path: '/payments/intents', body });
    answersMs = passed();
    await pay(client, { id, method: 'PERMIT', wallet });
    while (passed() < limitMs) {
      const { status } = await client.call(intentShape, { method: 'GET', path: `/payments/intents/${id}` });
      if (captured.has(status)) return passed();
      await delay(LOOK_EVERY_MS);
    }
    return null;
  };
  let notReady: string | undefined;
  const ready = async (): Promise<number | null> => {
    while (passed() < limitMs) {
      const { isReady, text } = await readReadiness(origin);
      if (isReady) return passed();
      notReady = text;
      await delay(LOOK_EVERY_MS);
    }
    return null;
  };
  const [moneyMs, readyMs] = await Promise.all([money().catch(() => null), ready()]);
  return { answersMs, readyMs, moneyMs, notReady };
}

/** The response of /readyz on one line. */
export async function readReadiness(origin: string): Promise<{ isReady: boolean; text: string }> {
  try {
    const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(6_000) });
    const text = (await response.text()).split('\n').join(' ');
    return { isReady: response.ok, text: `${response.status} ${text}` };
  } catch {
    return { isReady: false, text: 'no answer' };
  }
}

/** A row for each fault with the median and maximum seconds until a response, readiness and a payment. */
export function recoveryTable(measured: readonly Measured[]): string {
  const byFault = Object.entries(Object.groupBy(measured, ({ fault }) => fault)).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const rows = byFault.map(([fault, ofFault = []]) => {
    const cells = (['answersMs', 'readyMs', 'moneyMs'] as const).flatMap((name) => {
      const values = ofFault.map((one) => one[name] ?? Number.POSITIVE_INFINITY).toSorted((a, b) => a - b);
      return [print(values[Math.floor((values.length - 1) / 2)]), print(values.at(-1))];
    });
    return `| ${fault} | ${ofFault.length} | ${cells.join(' | ')} |`;
  });
  const head =
    '| fault | times | response, median s | worst | ready, median s | worst | payment, median s | worst |\n|---|---:|---:|---:|---:|---:|---:|---:|';
  return [head, ...rows].join('\n');
}

function print(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms) ? 'never' : (ms / 1000).toFixed(1);
}
