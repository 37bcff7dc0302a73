/** Iterators of live fields. Written by hand: an async generator cannot be ended while it waits. */
import type { GatewayError } from '../../../errors.ts';

/** First what `first` reads, then what `map` makes of each event; undefined is passed over. */
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

/** The same iterator until it is cut: then one last value that says why, and the end. */
export function cuttable<Value>(
  source: AsyncIterableIterator<Value>,
  watch: (cut: (reason: GatewayError) => void) => () => void,
  lastWords: (reason: GatewayError) => Value,
): AsyncIterableIterator<Value> {
  let last: IteratorResult<Value> | undefined;
  let ended = false;
  const waiting = new Set<(result: IteratorResult<Value>) => void>();
  const unwatch = watch((reason) => {
    ended = true;
    last = { value: lastWords(reason), done: false };
    for (const resolve of waiting) resolve(takeLast());
    waiting.clear();
    void source.return?.();
  });

  function takeLast(): IteratorResult<Value> {
    const result = last ?? { value: undefined, done: true };
    last = undefined;
    return result;
  }

  return {
    next() {
      if (ended) return Promise.resolve(takeLast());
      return new Promise((resolve, reject) => {
        waiting.add(resolve);
        source.next().then(
          (result) => {
            if (result.done) unwatch();
            if (waiting.delete(resolve)) resolve(result);
          },
          (error: unknown) => {
            unwatch();
            if (waiting.delete(resolve)) reject(error);
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

/** What `read` answers, now and whenever its fingerprint is another; looked at only while somebody waits. */
export function poll<Value>(source: {
  everyMs: number;
  read: () => Promise<Value>;
  fingerprint: (value: Value) => string;
}): AsyncIterableIterator<Value, void, void> {
  let last: string | undefined;
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    async next() {
      while (!ended) {
        const value = await source.read();
        const fingerprint = source.fingerprint(value);
        if (fingerprint !== last) {
          last = fingerprint;
          return { value, done: false };
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, source.everyMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return { value: undefined, done: true };
    },
    async return() {
      ended = true;
      wake?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
