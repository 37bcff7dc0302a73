/** Fetch: `paid.fetch(handler)` is a handler of requests, as workers, Deno, Bun and Next.js have them. */
import { type Answer, privateCacheControl, tooLarge } from './answer.ts';
import type { Charge } from './charge.ts';
import type { PaidCall } from './paid-call.ts';

export type FetchHandler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;
export type FetchMiddleware = <Rest extends unknown[]>(
  handler: FetchHandler<Rest>,
) => (request: Request, ...rest: Rest) => Promise<Response>;

type Charging = { charge(call: PaidCall): Promise<Charge>; largestHeldBytes: number };

export function fetchMiddleware({ charge, largestHeldBytes }: Charging): FetchMiddleware {
  return (handler) =>
    async (request, ...rest) => {
      const charged = await charge(callOf(request));
      const hasDisconnected = () => request.signal.aborted;
      return serve(charged, { run: async () => handler(request, ...rest), hasDisconnected, largestHeldBytes });
    };
}

function callOf(request: Request): PaidCall {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name) ?? undefined,
    request,
  };
}

/** `hasDisconnected`: whether the client has closed the connection. Not every server reports it. */
type Serving = { run(): Promise<Response>; hasDisconnected(): boolean; largestHeldBytes: number };

/** Nobody receives it. */
const unsentResponse = () => new Response(null, { status: 499 });

/** Runs the handler as the charge allows. What the handler throws is thrown on, after the payment has been abandoned. */
export async function serve(charge: Charge, serving: Serving): Promise<Response> {
  const { run, hasDisconnected } = serving;
  switch (charge.outcome) {
    case 'refused':
      return responseOf(charge.answer);
    case 'free':
      return run();
    case 'settled': {
      if (hasDisconnected()) {
        await charge.settled.unsent();
        return unsentResponse();
      }
      let response: Response;
      try {
        response = await run();
      } catch (error) {
        await charge.unserved(500, false);
        throw error;
      }
      if (response.status >= 400) await charge.unserved(response.status);
      return withHeaders(response, response.body, charge.settled.headers);
    }
    case 'verified':
      return await serveVerified(charge, serving);
    default:
      return charge satisfies never;
  }
}

async function serveVerified(
  charge: Extract<Charge, { outcome: 'verified' }>,
  { run, hasDisconnected, largestHeldBytes }: Serving,
): Promise<Response> {
  let response: Response;
  let body: Uint8Array<ArrayBuffer> | null | 'too large';
  try {
    response = await run();
    if (response.status >= 400) {
      charge.abandon();
      return response;
    }
    body = await read(response, largestHeldBytes);
  } catch (error) {
    charge.abandon();
    throw error;
  }
  if (body === 'too large') {
    charge.abandon();
    return responseOf(tooLarge(largestHeldBytes));
  }
  if (hasDisconnected()) {
    charge.abandon();
    return unsentResponse();
  }
  const settling = await charge.settle();
  if (settling.isSettled && hasDisconnected()) {
    await settling.unsent();
    return unsentResponse();
  }
  return settling.isSettled ? withHeaders(response, body, settling.headers) : responseOf(settling.answer);
}

/** A body that breaks off is not charged: it is read to its end before the payment settles. */
async function read(response: Response, limit: number): Promise<Uint8Array<ArrayBuffer> | null | 'too large'> {
  if (response.body === null) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > limit) {
      await reader.cancel();
      return 'too large';
    }
    chunks.push(part.value);
  }
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

function withHeaders(response: Response, body: BodyInit | null, headers: Record<string, string>): Response {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  all.set('cache-control', privateCacheControl(all.get('cache-control')));
  all.append('access-control-expose-headers', 'PAYMENT-RESPONSE');
  return new Response(body, { status: response.status, statusText: response.statusText, headers: all });
}

export function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}
