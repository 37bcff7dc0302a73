/** The queue of updates that have not been read. It is bounded: a reader that is too slow reconnects and resumes by its sequence number. */
export type Inbox<Item> = {
  /** Returns false if the queue is full. */
  put(item: Item): boolean;
  /** Closes the queue. Updates in it are still read; then the error, if there is one, is thrown. */
  end(error?: unknown): void;
  /** `stop` is called when the reader stops reading. */
  read(stop: () => void): AsyncIterator<Item>;
};

const LONGEST = 1_000;

export function openInbox<Item>(): Inbox<Item> {
  const items: Item[] = [];
  let outcome: { error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  async function* read(stop: () => void): AsyncGenerator<Item, void, undefined> {
    try {
      for (;;) {
        const [item] = items.splice(0, 1);
        if (item !== undefined) yield item;
        else if (outcome?.error !== undefined) throw outcome.error;
        else if (outcome) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stop();
    }
  }
  return {
    put(item) {
      if (outcome || items.length >= LONGEST) return false;
      items.push(item);
      wake();
      return true;
    },
    end(error) {
      outcome ??= { error };
      wake();
    },
    read,
  };
}
