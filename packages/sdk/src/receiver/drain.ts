/** Handles the events after the cursor, one at a time, until there are none left. */
import type { Sluice } from '../create-sluice.ts';
import type { SluiceEvent } from '../generated/types.ts';
import type { CursorStore } from './cursor-store.ts';

export type Draining<Transaction> = {
  sluice: { readonly events: Pick<Sluice['events'], 'list'> };
  store: CursorStore<Transaction>;
  handle(event: SluiceEvent, transaction: Transaction): Promise<void> | void;
};

const PAGE = 100;

/** Rejects with an error of the handler. The cursor then remains before that event. */
export async function drain<Transaction>({ sluice, store, handle }: Draining<Transaction>): Promise<void> {
  for (;;) {
    let at = await store.load();
    const { data: events } = await sluice.events.list({ after: at, limit: PAGE });
    if (events.length === 0) return;
    for (const event of events) {
      const isOurs = await store.advance({ from: at, to: event.sequence }, async (transaction) => {
        await handle(event, transaction);
      });
      // Another process was faster; the remaining events are read again.
      if (!isOurs) break;
      at = event.sequence;
    }
  }
}

/**
 * Lets one drain run at a time. A call during one waits for the next, because the running one may have read the sequence
 * before the caller's event was in it.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (!current) {
      current = work().finally(() => {
        current = undefined;
      });
      return current;
    }
    queued ??= current
      .catch(() => undefined)
      .then(() => {
        queued = undefined;
        return run();
      });
    return queued;
  };
  return run;
}
