/** Subscribers over graphql-ws that connect, listen for a while, and disconnect: half of them properly, half without a close frame. */
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { Demo } from '../../src/local/demo-file.ts';

export type Subscriber = { connectionParams: Record<string, string>; query: string; variables: object };

export const everyEvent = 'subscription { events { sequence type resourceId } }';
export const everyPayment =
  'subscription ($filter: PaymentIntentFilter!) { paymentIntentsUpdated(filter: $filter) { id status updatedAt } }';
export const oneCheckout =
  'subscription ($id: ID!) { checkoutUpdated(id: $id) { now session { id status } payment { status } } }';

/** Resolves when the subscriber has disconnected. Rejects if the gateway refuses or closes the connection earlier. */
export async function comeAndGo(
  demo: Pick<Demo, 'graphqlUrl'>,
  { subscriber, stayMs, leaves }: { subscriber: Subscriber; stayMs: number; leaves: 'politely' | 'abruptly' },
): Promise<void> {
  let socket: WebSocket | undefined;
  class Noted extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols);
      socket = this;
    }
  }
  const client = createClient({
    url: demo.graphqlUrl.replace(/^http/, 'ws'),
    webSocketImpl: Noted,
    connectionParams: subscriber.connectionParams,
    retryAttempts: 0,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        unsubscribe();
        resolve();
      }, stayMs);
      const fail = (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(printFault(error)));
      };
      const { query, variables } = subscriber;
      const unsubscribe = client.subscribe(
        { query, variables: { ...variables } },
        {
          next: ({ errors }) => {
            if (errors) fail(errors[0]);
          },
          error: fail,
          complete: () => undefined,
        },
      );
    });
  } finally {
    if (leaves === 'abruptly') socket?.terminate();
    await client.dispose();
  }
}

/** Prints a close event explicitly, because JSON omits its fields. */
function printFault(fault: unknown): string {
  if (typeof fault === 'object' && fault !== null && 'code' in fault) return `closed with ${String(fault.code)}`;
  return JSON.stringify(fault);
}
