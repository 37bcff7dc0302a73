/** Counts what is open concurrently under a name, such as the connections of an address, up to a limit. */
export type PlaceCounter = {
  /** Takes a place; undefined if all are taken. The returned function releases it; further calls have no effect. */
  take(name: string): (() => void) | undefined;
};

export function openPlaceCounter({ limit }: { limit: number }): PlaceCounter {
  const taken = new Map<string, number>();
  return {
    take(name) {
      const count = taken.get(name) ?? 0;
      if (count >= limit) return undefined;
      taken.set(name, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const remaining = (taken.get(name) ?? 1) - 1;
        if (remaining > 0) taken.set(name, remaining);
        else taken.delete(name);
      };
    },
  };
}
