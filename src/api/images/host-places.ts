/** Places for calls to foreign hosts, of one process: so many at once in all, and so many to one host. */

export type PlaceLimits = {
  inAll: number;
  ofHost: number;
  /** How many may wait for a place, in all and for one host's; the next one is refused at once. */
  waitingInAll: number;
  waitingOfHost: number;
  waitMs: number;
};

export type HostPlaces = {
  /** What `work` answers, begun once a place is free; null, and no work, where none was within `waitMs` or too many wait. */
  within<Answer>(host: string, work: () => Promise<Answer>): Promise<Answer | null>;
};

type Waiting = { host: string; begin: (hasPlace: boolean) => void };

/** First come, first served, but for those whose own host is full: they hold up nobody else's. */
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

  /** One that left makes room for one: the first that waits and may. */
  function passOn(): void {
    const next = waiting.find((entry) => isFree(entry.host));
    if (!next) return;
    taken.push(next.host);
    next.begin(true);
  }
}
