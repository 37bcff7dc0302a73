/** Merchants' servers that create payment intents over HAProxy, each under an Idempotency-Key that is repeated until it is answered. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export type Merchant = { name: string; appId: string; key: string };

/** A completed call. `attempts` is the number of requests that it took. */
export type Created = { merchant: Merchant; idempotencyKey: string; order: string; id: string; attempts: number };

export type WriteLoad = {
  created: readonly Created[];
  /** When, on the monotonic clock, each request was acknowledged or failed. */
  answers: readonly { atMs: number; kind: string }[];
  /** Repeats the call and returns the id in its response. */
  repeat(call: Created): Promise<string>;
  /** Starts no new call, and resolves when the pending ones have a response. */
  end(): Promise<void>;
};

const PAUSE_MS = 100;
const RETRY_PAUSE_MS = 250;
const TRY_LIMIT_MS = 20_000;
const PATIENCE_MS = 240_000;

const answerShape = z.looseObject({
  data: z.looseObject({ id: z.string() }).nullish(),
  error: z.looseObject({ code: z.string() }).nullish(),
});

export function startWriteLoad(
  apiUrl: string,
  { merchants, lanes }: { merchants: readonly Merchant[]; lanes: number },
): WriteLoad {
  const created: Created[] = [];
  const answers: { atMs: number; kind: string }[] = [];
  let isEnding = false;
  const attempt = async ({ merchant, idempotencyKey, order }: Omit<Created, 'id' | 'attempts'>) => {
    const outcome = await createOnce(apiUrl, { merchant, idempotencyKey, order });
    answers.push({ atMs: performance.now(), kind: outcome.kind });
    return outcome.id;
  };
  const lane = async (merchant: Merchant) => {
    while (!isEnding) {
      const call = { merchant, idempotencyKey: crypto.randomUUID(), order: crypto.randomUUID() };
      const deadline = performance.now() + PATIENCE_MS;
      for (let attempts = 1; ; attempts += 1) {
        const id = await attempt(call);
        if (id !== undefined) {
          created.push({ ...call, id, attempts });
          break;
        }
        if (performance.now() > deadline) throw new Error('A call was not answered within its patience.');
        await delay(RETRY_PAUSE_MS);
      }
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all(merchants.flatMap((merchant) => Array.from({ length: lanes }, () => lane(merchant))));
  running.catch(() => undefined);
  return {
    created,
    answers,
    async repeat(call) {
      const id = await attempt(call);
      if (id === undefined) throw new Error(`The repeated key ${call.idempotencyKey} was refused.`);
      return id;
    },
    async end() {
      isEnding = true;
      await running;
    },
  };
}

async function createOnce(
  apiUrl: string,
  { merchant, idempotencyKey, order }: Omit<Created, 'id' | 'attempts'>,
): Promise<{ kind: string; id?: string }> {
  try {
    const response = await fetch(`${apiUrl}/payments/intents`, {
      method: 'POST',
      headers: { 'x-api-key': merchant.key, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ amount: '10.00', currency: 'USD', metadata: { order } }),
      signal: AbortSignal.timeout(TRY_LIMIT_MS),
    });
    const text = await response.text();
    const answer = answerShape.safeParse(parse(text));
    const id = answer.data?.data?.id;
    if (response.ok && id !== undefined) return { kind: 'created', id };
    return { kind: answer.data?.error?.code ?? `HTTP ${response.status}` };
  } catch (error) {
    return { kind: error instanceof Error && error.name === 'TimeoutError' ? 'no answer in 20 s' : 'connection lost' };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
