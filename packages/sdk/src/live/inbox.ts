/** What has arrived and is not read yet. It is bounded: a reader that is too slow comes back by its sequence number. */
export type Inbox<Item> = {
  /** False if it is full. */
  put(item: Item): boolean;
  /** What has arrived is still read, and then the error is thrown if there is one. */
  end(error?: unknown): void;
  /** `stop` is called when the reader leaves. */
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
