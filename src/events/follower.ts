/**
 * One follower of the live feed: a bounded queue between the feed that fills it and the consumer that drains it. Its iterator is
 * written by hand, because ending an async generator waits for its pending event.
 */
import { GatewayError } from '../errors.ts';
import type { SequencedEvent } from './store.ts';

/** How many events may be queued for a consumer before it is ended as too slow. */
export const QUEUE_LIMIT = 1000;

export type Follower = {
  /** The app's sequence number when this follower joined; it receives every event after that. */
  startedAfter: bigint;
  events: AsyncIterableIterator<SequencedEvent, void, void>;
  /** Ends it from outside, with an error if one is given. */
  stop(failure?: GatewayError): void;
};

type Waiting = { resolve(result: IteratorResult<SequencedEvent, void>): void; reject(failure: GatewayError): void };

export class EventQueue {
  readonly #onEnd: () => void;
  readonly #limit: number;
  #events: SequencedEvent[] = [];
  #waiting: Waiting[] = [];
  #ended = false;
  #failure: GatewayError | undefined;

  constructor(options: { onEnd: () => void; limit?: number | undefined }) {
    this.#onEnd = options.onEnd;
    this.#limit = options.limit ?? QUEUE_LIMIT;
  }

  push(event: SequencedEvent): void {
    if (this.#ended) return;
    const reader = this.#waiting.shift();
    if (reader) {
      reader.resolve({ value: event, done: false });
      return;
    }
    if (this.#events.length < this.#limit) {
      this.#events.push(event);
      return;
    }
    const after = (this.#events[0]?.sequence ?? event.sequence) - 1n;
    this.#events = [];
    this.end(tooSlow(this.#limit, after));
  }

  /** Ends the queue; with a failure, the next read throws it. */
  end(failure?: GatewayError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    for (const reader of this.#waiting) {
      if (failure) reader.reject(failure);
      else reader.resolve({ value: undefined, done: true });
    }
    if (this.#waiting.length === 0) this.#failure = failure;
    this.#waiting = [];
  }

  read(): AsyncIterableIterator<SequencedEvent, void, void> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.#events = [];
        this.end();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #next(): Promise<IteratorResult<SequencedEvent, void>> {
    const event = this.#events.shift();
    if (event) return Promise.resolve({ value: event, done: false });
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) return Promise.reject(failure);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

function tooSlow(limit: number, after: bigint): GatewayError {
  return new GatewayError(
    'RATE_LIMIT_EXCEEDED',
    `The client is too slow: ${limit} events are waiting. Subscribe again after ${after}.`,
    {
      meta: { after: String(after) },
      retryAfterSeconds: 1,
    },
  );
}
