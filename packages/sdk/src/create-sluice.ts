/** The client of one installation, with one credential. */
import { openConnection, type SluiceOptions } from './connection.ts';
import type { Resources } from './generated/resources.ts';
import { type LiveResources, makeLive } from './live/make-live.ts';
import { makeResources } from './make-resources.ts';
import type { RequestOptions } from './request-options.ts';
import { type Call, send } from './send.ts';
import { type Webhooks, webhooks } from './webhooks.ts';

export type Sluice = Resources &
  LiveResources & {
    readonly webhooks: Webhooks;
    /**
     * Sends a request for which the client has no method, with the client's credential, timeout and retries and, for a POST, an
     * idempotency key. Resolves to the unparsed response.
     *
     * @example
     * ```ts
     * const csv = await sluice.request({ method: 'GET', path: '/reports/payments', query: { format: 'csv' } });
     * console.log(await csv.text());
     * ```
     */
    request(call: Call, options?: RequestOptions): Promise<Response>;
  };

/**
 * Creates a client. It holds no connection; create one and reuse it.
 *
 * @example
 * ```ts
 * const sluice = createSluice({ baseUrl: 'https://pay.example.com', apiKey: process.env.SLUICE_API_KEY });
 * ```
 */
export function createSluice(options: SluiceOptions): Sluice {
  const connection = openConnection(options);
  const resources = makeResources(connection);
  const live = makeLive(connection);
  return {
    ...resources,
    paymentIntents: { ...resources.paymentIntents, ...live.paymentIntents },
    subscriptions: { ...resources.subscriptions, ...live.subscriptions },
    checkoutSessions: { ...resources.checkoutSessions, ...live.checkoutSessions },
    events: { ...resources.events, ...live.events },
    webhooks,
    request: (call, requestOptions) => send(connection, withKey(call, requestOptions), requestOptions),
  };
}

/** A POST that is retried without an idempotency key could take effect twice. */
function withKey(call: Call, options: RequestOptions | undefined): Call {
  const key = options?.idempotencyKey ?? (call.method === 'POST' ? crypto.randomUUID() : undefined);
  return key === undefined ? call : { ...call, headers: { 'idempotency-key': key, ...call.headers } };
}
