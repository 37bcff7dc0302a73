/** A merchant's client of the gateway. Like a merchant's server, it retries every request that can be retried. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export type ShopRequest = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: object };

export type ShopClient = {
  /** Makes a REST call and returns `data`. Throws Refused for an error that a retry would not change. */
  call<Shape extends z.ZodType>(shape: Shape, request: ShopRequest): Promise<z.infer<Shape>>;
  /** Does the same over /graphql. */
  query<Shape extends z.ZodType>(shape: Shape, document: string, variables: object): Promise<z.infer<Shape>>;
};

/** The number of responses by kind: `ok`, an error code, or `no answer`. */
export type Answers = Map<string, number>;

/** A permanent error, as opposed to a temporary one. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

const TRY_LIMIT_MS = 20_000;
const PAUSE_MS = 400;

const answerShape = z.looseObject({
  success: z.boolean().optional(),
  data: z.unknown().optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  errors: z
    .array(z.looseObject({ message: z.string(), extensions: z.looseObject({ code: z.string() }).optional() }))
    .optional(),
});
/** The codes of errors that can be retried. All other errors are permanent. */
const passing = new Set([
  'IDEMPOTENCY_IN_FLIGHT',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
  'CHAIN_UNAVAILABLE',
  'PRICE_UNAVAILABLE',
  'CHAIN_PAUSED',
]);

/** Retries a request with the same Idempotency-Key until `patienceMs` after the first attempt. */
export function openShopClient(
  world: { origin: string; key: string; answers: Answers },
  { patienceMs }: { patienceMs: number },
): ShopClient {
  const ask = async (request: ShopRequest): Promise<unknown> => {
    const key = crypto.randomUUID();
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const outcome = await tryOnce(world, request, key);
      world.answers.set(outcome.kind, (world.answers.get(outcome.kind) ?? 0) + 1);
      if (outcome.kind === 'ok') return outcome.data;
      const name = `${request.method} ${request.path}`;
      if (outcome.kind !== 'no answer' && !passing.has(outcome.kind)) throw new Refused(outcome.kind, name);
      if (performance.now() > deadline) throw new Refused('GIVEN_UP', `${name}: ${outcome.kind} for too long.`);
      await delay(PAUSE_MS);
    }
  };
  return {
    call: async (shape, request) => shape.parse(await ask(request)),
    query: async (shape, query, variables) =>
      shape.parse(await ask({ method: 'POST', path: '/graphql', body: { query, variables } })),
  };
}

async function tryOnce(
  { origin, key: apiKey }: { origin: string; key: string },
  { method, path, body }: ShopRequest,
  idempotencyKey: string,
): Promise<{ kind: string; data?: unknown }> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TRY_LIMIT_MS),
    });
    const answer = answerShape.parse(await response.json());
    const code = answer.error?.code ?? answer.errors?.[0]?.extensions?.code;
    if (code !== undefined) return { kind: code };
    if (answer.errors?.[0]) return { kind: 'VALIDATION_ERROR' };
    return { kind: 'ok', data: answer.data };
  } catch {
    return { kind: 'no answer' };
  }
}
