/** Callers of a process that wait until something of their app may have changed. The feed wakes them. */

export type AppWatch = {
  /**
   * Resolves with true once the app may have changed since the watch was opened or this was last called, so that no change is missed
   * between a read and the wait that follows it. Resolves with false at `deadline`, which is on the clock of `performance.now()`, and
   * when the feed is closed.
   */
  changed(deadline: number): Promise<boolean>;
  end(): void;
};

export type AppWatches = {
  open(appId: string): AppWatch;
  /** Wakes the callers that watch one of these apps, or all of them for null. */
  wake(apps: readonly string[] | null): void;
  close(): void;
};

/** Callers are woken together, at most once in this time, so that they can share what they read. */
const REST_MS = 50;

type Watching = { isDue: boolean; resolve: ((isChanged: boolean) => void) | undefined };

export function openAppWatches(): AppWatches {
  const byApp = new Map<string, Set<Watching>>();
  let rest: NodeJS.Timeout | undefined;
  let isClosed = false;

  function wake(apps: readonly string[] | null): void {
    for (const appId of apps ?? byApp.keys()) for (const each of byApp.get(appId) ?? []) each.isDue = true;
    wakeDue();
  }

  function wakeDue(): void {
    if (rest) return;
    const due = [...byApp.values()].flatMap((set) => [...set].filter(({ isDue, resolve }) => isDue && resolve));
    if (due.length === 0) return;
    rest = setTimeout(() => {
      rest = undefined;
      wakeDue();
    }, REST_MS);
    rest.unref();
    for (const { resolve } of due) resolve?.(true);
  }

  function next(each: Watching, deadline: number): Promise<boolean> {
    const remainingMs = deadline - performance.now();
    if (isClosed || remainingMs <= 0) return Promise.resolve(false);
    return new Promise((settle) => {
      const timer = setTimeout(() => each.resolve?.(false), remainingMs);
      each.resolve = (isChanged) => {
        clearTimeout(timer);
        each.resolve = undefined;
        each.isDue = false;
        settle(isChanged);
      };
      wakeDue();
    });
  }

  return {
    wake,
    open(appId) {
      const each: Watching = { isDue: false, resolve: undefined };
      const ofApp = byApp.get(appId) ?? new Set();
      byApp.set(appId, ofApp.add(each));
      return {
        changed: (deadline) => next(each, deadline),
        end() {
          each.resolve?.(false);
          ofApp.delete(each);
          if (ofApp.size === 0 && byApp.get(appId) === ofApp) byApp.delete(appId);
        },
      };
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
      for (const set of byApp.values()) for (const { resolve } of set) resolve?.(false);
      byApp.clear();
    },
  };
}
