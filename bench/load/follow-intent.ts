/** Follows payments as a dashboard does, over graphql-ws. */
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { z } from 'zod';
import type { Demo } from '../../src/local/demo-file.ts';

const LIMIT_MS = 60_000;
const pushSchema = z.object({ paymentIntentUpdated: z.object({ status: z.string() }) });

export function openLiveClient(demo: Pick<Demo, 'graphqlUrl' | 'secretKey'>): Client {
  return createClient({
    url: demo.graphqlUrl.replace(/^http/, 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': demo.secretKey },
  });
}

/** Resolves to the time at which the client received CAPTURED. Rejects after the limit. */
export function untilCaptured(client: Client, id: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Payment ${id} was not reported in time.`)), LIMIT_MS);
    const end = (finish: () => void) => {
      clearTimeout(timer);
      unsubscribe();
      finish();
    };
    const query = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { status } }';
    const unsubscribe = client.subscribe(
      { query, variables: { id } },
      {
        next: (result) => {
          const at = performance.now();
          const pushed = pushSchema.safeParse(result.data);
          if (pushed.success && pushed.data.paymentIntentUpdated.status === 'CAPTURED') end(() => resolve(at));
        },
        error: (error) => end(() => reject(error)),
        complete: () => undefined,
      },
    );
  });
}
