import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export type GatewayClient = {
  /** Makes a REST call with the secret key and returns `data`, parsed. Throws an Error with the gateway's error message. */
  call<Shape extends z.ZodType>(shape: Shape, request: GatewayRequest): Promise<z.infer<Shape>>;
  query<Shape extends z.ZodType>(shape: Shape, document: string, variables: object): Promise<z.infer<Shape>>;
};

export type GatewayRequest = { method: 'GET' | 'POST'; path: string; body?: object };

const answerSchema = z.object({
  data: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

const retryPauseMs = 250;

/**
 * A merchant's client of the gateway. A call that received no response is retried for `patienceMs` with the same Idempotency-Key, so that a
 * gateway that restarts in the meantime creates nothing twice.
 */
export function openGatewayClient(demo: { restUrl: string; secretKey: string }, patienceMs: number): GatewayClient {
  const send = async (request: GatewayRequest, key: string, deadline: number): Promise<unknown> => {
    try {
      const response = await fetch(`${demo.restUrl}${request.path}`, {
        method: request.method,
        headers: {
          'x-api-key': demo.secretKey,
          ...(request.method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': key } : {}),
        },
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        signal: AbortSignal.timeout(patienceMs),
      });
      return await response.json();
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error(`${request.method} ${request.path} received no response.`, { cause: error });
      }
      await delay(retryPauseMs);
      return await send(request, key, deadline);
    }
  };
  const ask = async (request: GatewayRequest): Promise<unknown> => {
    const answer = answerSchema.parse(await send(request, crypto.randomUUID(), performance.now() + patienceMs));
    const fault = answer.error ? `${answer.error.code}: ${answer.error.message}` : answer.errors?.[0]?.message;
    if (fault !== undefined) throw new Error(`${request.method} ${request.path}: ${fault}`);
    return answer.data;
  };
  return {
    call: async (shape, request) => shape.parse(await ask(request)),
    query: async (shape, query, variables) =>
      shape.parse(await ask({ method: 'POST', path: '/graphql', body: { query, variables } })),
  };
}
