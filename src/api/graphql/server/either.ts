/** Merges two iterators in the order in which their values arrive. Ends as soon as one of them ends. */
export function either<Left, Right>(
  left: AsyncIterableIterator<Left, void, void>,
  right: AsyncIterableIterator<Right, void, void>,
): AsyncIterableIterator<Left | Right, void, void> {
  let fromLeft: Promise<Came<Left>> | undefined;
  let fromRight: Promise<Came<Right>> | undefined;
  const iterator: AsyncIterableIterator<Left | Right, void, void> = {
    async next() {
      fromLeft ??= left.next().then((result) => ({ result, taken: () => (fromLeft = undefined) }));
      fromRight ??= right.next().then((result) => ({ result, taken: () => (fromRight = undefined) }));
      const { result, taken } = await Promise.race([fromLeft, fromRight]);
      taken();
      return result;
    },
    async return() {
      await Promise.all([left.return?.(), right.return?.()]);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

type Came<Value> = { result: IteratorResult<Value, void>; taken: () => void };
