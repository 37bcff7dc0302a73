/**
 * A receiver of webhooks for which a webhook is only a wake-up. It reads the app's sequence from its own cursor, so that
 * order, duplicates, lost deliveries and downtime need no thought: each event is handled once the one before it was.
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
  /** The endpoint's `whsec_…`, or several. */
  secret: string | readonly string[];
  /** Receives what went wrong: a handler that threw, a gateway that could not be read. Defaults to `console.error`. */
  onError?(error: unknown): void;
};

export type Receiver = {
  /** For everything that speaks Fetch, such as Hono, Deno, Bun and workers. */
  fetch(request: Request): Promise<Response>;
  /** For Express, before anything that parses bodies. */
  express(request: ExpressRequest, response: ExpressResponse, next: ExpressNext): void;
  /** Handles what has happened since. Call it when the process starts; rejects with what the handler threw. */
  catchUp(): Promise<void>;
  /** Ends the retries that wait. */
  close(): void;
};

/** The gateway waits 15 s. Its next delivery goes on where this one was left. */
const ANSWER_WITHIN_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/**
 * The answer is 204 once everything up to the webhook's event has been handled, 400 if the webhook is not the gateway's, and
 * 503 if a handler failed or is not done yet. The gateway delivers again after a 503, and the receiver itself retries too.
 *
 * `handle` runs for one event at a time, in the order of the sequence. If it throws, the cursor stays, and the same event
 * comes again. With a store that gives a transaction, what is written through it is written exactly once; otherwise an event
 * can come twice after a crash, with the same `event.id`.
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
  /** With the key of another app, the sequence that is read never has the webhook's event: that must not pass unseen. */
  const catchUpTo = async (sequence: number): Promise<void> => {
    await catchUp();
    if ((await store.load()) >= sequence) return;
    throw new SluiceUsageError(
      `The webhook's event ${sequence} is not in the sequence that the client reads. Are the key and the endpoint of one app?`,
    );
  };
  /** A gateway that pauses a failing endpoint may take its time; this process knows sooner. */
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

/** 503 after a while, unless `work` ends before. */
function statusAfter(ms: number, work: Promise<unknown>): Promise<number> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(503), ms);
    work.finally(() => clearTimeout(timer)).catch(() => undefined);
  });
}
