/**
 * A receiver that treats a webhook only as a signal that there are new events. It reads the app's sequence from its own cursor,
 * and so takes care of order, duplicates, lost deliveries and downtime: each event is handled after the one before it.
 */
import { SluiceUsageError } from '../errors.ts';
import { WebhookVerificationError, webhooks } from '../webhooks.ts';
import { type Draining, drain, oneAtATime } from './drain.ts';
import {
  type ExpressNext,
  type ExpressRequest,
  type ExpressResponse,
  LARGEST_BODY,
  readExpressBody,
} from './express-body.ts';

export type ReceiverOptions<Transaction> = Draining<Transaction> & {
  /** The secret of the endpoint (`whsec_…`), or several secrets. */
  secret: string | readonly string[];
  /** Receives errors, such as those of `handle` or of a gateway that cannot be reached. Defaults to `console.error`. */
  onError?(error: unknown): void;
};

export type Receiver = {
  /** For platforms with the Fetch API, such as Hono, Deno, Bun and workers. */
  fetch(request: Request): Promise<Response>;
  /** For Express. Mount it before any middleware that parses bodies. */
  express(request: ExpressRequest, response: ExpressResponse, next: ExpressNext): void;
  /** Handles the events after the cursor. Call it when the process starts. Rejects with an error that `handle` throws. */
  catchUp(): Promise<void>;
  /** Cancels pending retries. */
  close(): void;
};

/** The gateway's timeout is 15 s. Its next delivery continues where this one stopped. */
const ANSWER_WITHIN_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/**
 * The receiver responds with 204 once every event up to the webhook's event has been handled, with 400 if the webhook was not
 * signed by the gateway, and with 503 if `handle` failed or has not finished. After a 503 the gateway delivers the webhook again,
 * and the receiver itself retries as well.
 *
 * `handle` runs for one event at a time, in the order of the sequence. If it throws, the cursor is not moved, and the same event
 * is handled again. With a store that provides a transaction, writes through it happen exactly once. Otherwise an event can be
 * handled twice after a crash, with the same `event.id`.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({
 *   sluice,
 *   secret,
 *   store: memoryStore(),
 *   handle: async (event) => {
 *     if (event.type === 'payment_intent.captured') console.log('Paid:', event.data.externalId);
 *   },
 * });
 * ```
 */
export function createReceiver<Transaction>(options: ReceiverOptions<Transaction>): Receiver {
  const { store, secret, onError = (error: unknown) => console.error('sluice receiver:', error) } = options;
  const run = oneAtATime(() => drain(options));
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const catchUp = async (): Promise<void> => {
    try {
      await run();
      failures = 0;
    } catch (error) {
      retryLater();
      throw error;
    }
  };
  /** With the key of another app, the sequence never contains the webhook's event. This must be reported. */
  const catchUpTo = async (sequence: number): Promise<void> => {
    await catchUp();
    if ((await store.load()) >= sequence) return;
    throw new SluiceUsageError(
      `The webhook's event ${sequence} is not in the sequence that the client reads. Do the key and the endpoint belong to the same app?`,
    );
  };
  /** The gateway may pause deliveries to a failing endpoint, so the receiver also retries on its own. */
  const retryLater = () => {
    if (timer !== undefined || isClosed) return;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
    failures += 1;
    timer = setTimeout(() => {
      timer = undefined;
      catchUp().catch(onError);
    }, wait);
  };

  const receive = async (webhook: { body: string | Uint8Array; headers: Headers }): Promise<number> => {
    let sequence: number;
    try {
      const event = await webhooks.verify({ ...webhook, secret });
      if (!('sequence' in event) || (await store.load()) >= event.sequence) return 204;
      sequence = event.sequence;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return 400;
      onError(error);
      return 503;
    }
    const work = catchUpTo(sequence).then(
      () => 204,
      (error: unknown) => {
        onError(error);
        return 503;
      },
    );
    return Promise.race([work, statusAfter(ANSWER_WITHIN_MS, work)]);
  };

  return {
    async fetch(request) {
      if (Number(request.headers.get('content-length') ?? 0) > LARGEST_BODY) return new Response(null, { status: 413 });
      const status = await receive({ body: new Uint8Array(await request.arrayBuffer()), headers: request.headers });
      return new Response(null, { status });
    },
    express(request, response, next) {
      readExpressBody(request)
        .then(({ body, headers }) => receive({ body, headers }))
        .then((status) => void response.writeHead(status).end())
        .catch(next);
    },
    catchUp,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Resolves to 503 after the time limit, unless `work` ends earlier. */
function statusAfter(ms: number, work: Promise<unknown>): Promise<number> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(503), ms);
    work.finally(() => clearTimeout(timer)).catch(() => undefined);
  });
}
