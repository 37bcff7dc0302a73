import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { z } from 'zod';

const updateSchema = z.object({
  paymentIntentUpdated: z.object({
    status: z.string(),
    transactions: z.array(
      z.object({
        type: z.string(),
        status: z.string(),
        chainId: z.number(),
        txHash: z.string().nullable(),
        blockNumber: z.string().nullable(),
      }),
    ),
    events: z.array(z.object({ sequence: z.number(), type: z.string() })),
  }),
});

export type PaymentUpdate = z.infer<typeof updateSchema>['paymentIntentUpdated'];

export type FollowedPayment = {
  /** Resolves with the first update that matches, starting with the last one received. Rejects after `limitMs`. */
  until(fits: (update: PaymentUpdate) => boolean, limitMs: number): Promise<PaymentUpdate>;
  stop(): Promise<void>;
};

const document = `subscription Follow($id: ID!) {
  paymentIntentUpdated(id: $id) {
    status
    transactions { type status chainId txHash blockNumber }
    events { sequence type }
  }
}`;

const reconnectPauseMs = 250;

/**
 * Follows one payment over graphql-ws and reconnects when the connection breaks. Each update contains all events of the payment so far, so
 * none is missed.
 */
export function followPayment(
  demo: { graphqlUrl: string; secretKey: string },
  request: { id: string; onUpdate: (update: PaymentUpdate) => void },
): FollowedPayment {
  const client = createClient({
    url: demo.graphqlUrl.replace(/^http/, 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': demo.secretKey },
    // Retry until stopped. The limit of `until` determines how long a caller waits.
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: () => delay(reconnectPauseMs),
    shouldRetry: () => true,
  });
  const watchers = new Set<() => void>();
  let last: PaymentUpdate | undefined;
  let fault: unknown;
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  const fail = (error: unknown) => {
    fault = error;
    wake();
  };
  client.subscribe(
    { query: document, variables: { id: request.id } },
    {
      next: (result) => {
        const parsed = updateSchema.safeParse(result.data);
        if (!parsed.success) return fail(new Error(`Not an update: ${JSON.stringify(result)}`));
        last = parsed.data.paymentIntentUpdated;
        request.onUpdate(last);
        wake();
      },
      error: fail,
      complete: () => fail(new Error('The gateway ended the subscription.')),
    },
  );
  return {
    until: (fits, limitMs) =>
      new Promise((resolve, reject) => {
        const end = (finish: () => void) => {
          clearTimeout(timer);
          watchers.delete(look);
          finish();
        };
        const look = () => {
          const update = last;
          if (update && fits(update)) return end(() => resolve(update));
          if (fault !== undefined) end(() => reject(fault));
        };
        const timer = setTimeout(() => {
          const state = `payment ${request.id} is ${last?.status ?? 'unknown'}`;
          end(() => reject(new Error(`The expected state was not reached within ${limitMs / 1000} s: ${state}.`)));
        }, limitMs);
        watchers.add(look);
        look();
      }),
    stop: async () => client.dispose(),
  };
}
