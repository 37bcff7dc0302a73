/** One reader of the live feed: a bounded queue between the feed that fills it and the consumer that empties it. */
import { GatewayError } from '../errors.ts';
import type { SequencedEvent } from './store.ts';

/** How many events may wait for a consumer before it is told that it is too slow. */
export const QUEUE_LIMIT = 1000;

export type Follower = {
  /** The app's sequence number when this follower joined: it is given every event after it. */
  startedAfter: bigint;
  events: AsyncGenerator<SequencedEvent, void, void>;
  /** Ends it from outside, with an error where one is given. */
  stop(failure?: GatewayError): void;
};

export class EventQueue {
  readonly #onEnd: () => void;
  readonly #limit: number;
  #waiting: SequencedEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: GatewayError | undefined;

  constructor(options: { onEnd: () => void; limit?: number }) {
    this.#onEnd = options.onEnd;
    this.#limit = options.limit ?? QUEUE_LIMIT;
  }

  push(event: SequencedEvent): void {
    if (this.#ended) return;
    if (this.#waiting.length >= this.#limit) {
      const last = (this.#waiting[0]?.sequence ?? event.sequence) - 1n;
      this.#waiting = [];
      this.fail(
        new GatewayError(
          'RATE_LIMIT_EXCEEDED',
          `Too slow: ${this.#limit} events wait. Subscribe again after ${last}.`,
          {
            meta: { after: String(last) },
            retryAfterSeconds: 1,
          },
        ),
      );
      return;
    }
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** Ends the reader with an error, after what waits for it. */
  fail(failure: GatewayError): void {
    this.#failure = failure;
    this.end();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
  }

  async *read(): AsyncGenerator<SequencedEvent, void, void> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next) {
          yield next;
        } else if (this.#ended) {
          if (this.#failure) throw this.#failure;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      this.end();
    }
  }
}
