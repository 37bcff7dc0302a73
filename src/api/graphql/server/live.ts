/** Iterators of live fields. They are written by hand, because an async generator cannot be ended while it waits. */
import type { GatewayError } from '../../../errors.ts';

/** Yields what `first` reads, then the result of `map` for each event, without undefined. */
export function live<Event, Value>(source: {
  first: () => Promise<Value[]>;
  events: AsyncIterableIterator<Event, void, void>;
  map: (event: Event) => Promise<Value | undefined>;
}): AsyncIterableIterator<Value, void, void> {
  let present: Value[] | undefined;
  return {
    async next() {
      try {
        present ??= await source.first();
        const value = present.shift();
        if (value !== undefined) return { value, done: false };
        for (;;) {
          const event = await source.events.next();
          if (event.done) return { value: undefined, done: true };
          const mapped = await source.map(event.value);
          if (mapped !== undefined) return { value: mapped, done: false };
        }
      } catch (error) {
        await source.events.return?.();
        throw error;
      }
    },
    async return() {
      await source.events.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Yields the values of an iterator until it is cut or throws, then one last value with the reason, and ends. An error thrown to the
 * transport would close the whole connection with all its operations.
 */
export function cuttable<Value>(
  source: AsyncIterableIterator<Value>,
  watch: (cut: (reason: GatewayError) => void) => () => void,
  lastWords: (reason: unknown) => Value,
): AsyncIterableIterator<Value> {
  let last: IteratorResult<Value> | undefined;
  let ended = false;
  const waiting = new Set<(result: IteratorResult<Value>) => void>();
  const unwatch = watch((reason) => {
    end(reason);
    void source.return?.();
  });

  function end(reason: unknown): void {
    ended = true;
    last = { value: lastWords(reason), done: false };
    for (const resolve of waiting) resolve(takeLast());
    waiting.clear();
  }

  function takeLast(): IteratorResult<Value> {
    const result = last ?? { value: undefined, done: true };
    last = undefined;
    return result;
  }

  return {
    next() {
      if (ended) return Promise.resolve(takeLast());
      return new Promise((resolve) => {
        waiting.add(resolve);
        source.next().then(
          (result) => {
            if (result.done) unwatch();
            if (waiting.delete(resolve)) resolve(result);
          },
          (error: unknown) => {
            unwatch();
            if (!ended) end(error);
          },
        );
      });
    },
    async return() {
      ended = true;
      unwatch();
      await source.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Yields the result of `read` now and whenever its fingerprint changes. All followers share one read at a time, and nothing is read without
 * followers. A slow follower receives the newest value and skips those in between.
 */
export function sharedPoll<Value>(source: {
  everyMs: number;
  read: () => Promise<Value>;
  fingerprint: (value: Value) => string;
}): () => AsyncIterableIterator<Value, void, void> {
  const followers = new Set<Latest<Value>>();
  let isReading = false;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    const value = await source.read();
    const print = source.fingerprint(value);
    for (const follower of followers) follower.offer({ value, print });
  }

  function look(): void {
    if (isReading) return;
    isReading = true;
    read()
      .catch((error: unknown) => {
        for (const follower of followers) follower.fail(error);
      })
      .finally(() => {
        isReading = false;
      });
  }

  return () => {
    const follower = new Latest<Value>(() => {
      followers.delete(follower);
      if (followers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    followers.add(follower);
    timer ??= setInterval(look, source.everyMs).unref();
    look();
    return follower;
  };
}

type Print<Value> = { value: Value; print: string };

/** An iterator that holds one value: the newest one that its consumer has not received. */
class Latest<Value> implements AsyncIterableIterator<Value, void, void> {
  readonly #onEnd: () => void;
  #seen: string | undefined;
  #next: Print<Value> | undefined;
  #failure: { error: unknown } | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  offer(value: Print<Value>): void {
    this.#next = value;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#end();
  }

  async next(): Promise<IteratorResult<Value, void>> {
    for (;;) {
      const next = this.#next;
      this.#next = undefined;
      if (next && next.print !== this.#seen) {
        this.#seen = next.print;
        return { value: next.value, done: false };
      }
      if (this.#failure) {
        const { error } = this.#failure;
        this.#failure = undefined;
        throw error;
      }
      if (this.#ended) return { value: undefined, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Value, void>> {
    this.#end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): void {
    if (!this.#ended) this.#onEnd();
    this.#ended = true;
    this.#wake?.();
  }
}
