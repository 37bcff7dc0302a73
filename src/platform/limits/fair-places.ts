/**
 * A fixed number of places shared by several callers, so that one whose work hangs cannot take them all: a caller gets another
 * place only while it holds fewer than are free. Of 5 places the first caller gets at most 3, and the next one 1.
 */
export type FairPlaces = {
  /** Runs `work` in a place held by `name`; rejects with `refuse()` if none became free in time. */
  run<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer>;
};

type Waiting = { name: string; begin: () => void };

const MAX_WAITING = 1_000;

export function openFairPlaces(options: { places: number; waitMs: number; refuse: () => Error }): FairPlaces {
  const { places, waitMs, refuse } = options;
  const held = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let taken = 0;

  const mayTake = (name: string) => (held.get(name) ?? 0) < places - taken;

  function take(name: string): void {
    taken += 1;
    held.set(name, (held.get(name) ?? 0) + 1);
  }

  function giveBack(name: string): void {
    taken -= 1;
    const left = (held.get(name) ?? 1) - 1;
    if (left > 0) held.set(name, left);
    else held.delete(name);
    for (const next of waiting) {
      if (taken >= places) return;
      if (mayTake(next.name)) next.begin();
    }
  }

  function placeOf(name: string): Promise<void> {
    if (mayTake(name)) {
      take(name);
      return Promise.resolve();
    }
    if (waiting.size >= MAX_WAITING) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(refuse());
      }, waitMs);
      const entry: Waiting = {
        name,
        begin() {
          clearTimeout(timer);
          waiting.delete(entry);
          take(name);
          resolve();
        },
      };
      waiting.add(entry);
    });
  }

  return {
    async run(name, work) {
      await placeOf(name);
      try {
        return await work();
      } finally {
        giveBack(name);
      }
    },
  };
}
