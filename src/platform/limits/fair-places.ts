/**
 * A semaphore with fair shares: a caller acquires another permit only while it holds fewer permits than are free, so that a caller whose
 * work hangs cannot take all of them. Of 5 permits, the first caller gets at most 3, and the next one 1. A permit can be held under several
 * names, such as a credential and an address; each of them is limited.
 */
export type FairPlaces = {
  /** Runs `work` with a permit held under `names`; rejects with `refuse()` if none became free in time. */
  run<Answer>(names: string | readonly string[], work: () => Promise<Answer>): Promise<Answer>;
};

type Waiting = { names: readonly string[]; begin: () => void };

const MAX_WAITING = 1_000;

export function openFairPlaces(options: { places: number; waitMs: number; refuse: () => Error }): FairPlaces {
  const { places, waitMs, refuse } = options;
  const held = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let taken = 0;

  const mayTake = (names: readonly string[]) => names.every((name) => (held.get(name) ?? 0) < places - taken);

  function take(names: readonly string[]): void {
    taken += 1;
    for (const name of names) held.set(name, (held.get(name) ?? 0) + 1);
  }

  function giveBack(names: readonly string[]): void {
    taken -= 1;
    for (const name of names) {
      const remaining = (held.get(name) ?? 1) - 1;
      if (remaining > 0) held.set(name, remaining);
      else held.delete(name);
    }
    for (const next of waiting) {
      if (taken >= places) return;
      if (mayTake(next.names)) next.begin();
    }
  }

  function placeOf(names: readonly string[]): Promise<void> {
    if (mayTake(names)) {
      take(names);
      return Promise.resolve();
    }
    if (waiting.size >= MAX_WAITING) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(refuse());
      }, waitMs);
      const entry: Waiting = {
        names,
        begin() {
          clearTimeout(timer);
          waiting.delete(entry);
          take(names);
          resolve();
        },
      };
      waiting.add(entry);
    });
  }

  return {
    async run(names, work) {
      const holders = typeof names === 'string' ? [names] : names;
      await placeOf(holders);
      try {
        return await work();
      } finally {
        giveBack(holders);
      }
    },
  };
}
