/** Limits the concurrent calls of one process to foreign hosts, in total and per host. */

export type PlaceLimits = {
  inAll: number;
  ofHost: number;
  /** Maximum number of calls that wait for a place, in total and per host. Further calls are refused at once. */
  waitingInAll: number;
  waitingOfHost: number;
  waitMs: number;
};

export type HostPlaces = {
  /**
   * Runs `work` once a place is free and returns its result. Returns null without running it if none is free within `waitMs` or too many
   * calls wait.
   */
  within<Answer>(host: string, work: () => Promise<Answer>): Promise<Answer | null>;
};

type Waiting = { host: string; begin: (hasPlace: boolean) => void };

/** Serves calls in order of arrival, except that a call whose host has no free place does not block calls to other hosts. */
export function hostPlaces(limits: PlaceLimits): HostPlaces {
  const taken: string[] = [];
  const waiting: Waiting[] = [];

  return {
    async within(host, work) {
      if (!(await place(host))) return null;
      try {
        return await work();
      } finally {
        taken.splice(taken.indexOf(host), 1);
        passOn();
      }
    },
  };

  function isFree(host: string): boolean {
    return taken.length < limits.inAll && taken.filter((other) => other === host).length < limits.ofHost;
  }

  function place(host: string): Promise<boolean> {
    if (isFree(host)) {
      taken.push(host);
      return Promise.resolve(true);
    }
    const ofHost = waiting.filter((other) => other.host === host).length;
    if (waiting.length >= limits.waitingInAll || ofHost >= limits.waitingOfHost) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => entry.begin(false), limits.waitMs);
      const entry: Waiting = {
        host,
        begin: (hasPlace) => {
          clearTimeout(timer);
          waiting.splice(waiting.indexOf(entry), 1);
          resolve(hasPlace);
        },
      };
      waiting.push(entry);
    });
  }

  /** Gives a freed place to the first waiting call that may run. */
  function passOn(): void {
    const next = waiting.find((entry) => isFree(entry.host));
    if (!next) return;
    taken.push(next.host);
    next.begin(true);
  }
}
