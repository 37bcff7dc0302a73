/** Compares signed payments whose outcome is unknown with the chain. */
import { readUses } from './authorization-state.ts';
import { type BuyerStore, dayOf, type Receipt } from './buyer-store.ts';

/** All networks together. A call that has begun then ends within its own time. */
const LONGEST_MS = 10_000;

export type Reconciler = {
  /** Releases what was signed and, according to the chain, can no longer be charged. Simultaneous calls share the work. */
  all(): Promise<void>;
  /** The same for what counts against the limit of this day. Resolves after 10 s at the latest. */
  day(day: string): Promise<void>;
};

type World = { store: BuyerStore; rpcUrls: Record<string, string>; fetch: typeof fetch };

export function openReconciler(world: World): Reconciler {
  const running = new Map<string, Promise<void>>();
  /** One run at a time under the same name. */
  const shared = (name: string, isWanted: (receipt: Receipt) => boolean): Promise<void> => {
    const known = running.get(name);
    if (known) return known;
    const run = reconcile(world, isWanted).finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };
  return {
    all: () => shared('all', () => true),
    day: async (day) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LONGEST_MS);
      });
      await Promise.race([shared(day, (receipt) => dayOf(receipt) === day), late]).finally(() => clearTimeout(timer));
    },
  };
}

async function reconcile({ store, rpcUrls, fetch }: World, isWanted: (receipt: Receipt) => boolean): Promise<void> {
  const endsAt = performance.now() + LONGEST_MS;
  const open = (await store.list()).filter((receipt) => receipt.status === 'unconfirmed' && isWanted(receipt));
  // The oldest ones are the most likely to have expired.
  const oldestFirst = open.reverse();
  await Promise.all(
    Object.entries(rpcUrls).map(async ([network, rpcUrl]) => {
      const receipts = oldestFirst.filter((receipt) => receipt.network === network);
      if (receipts.length === 0) return;
      await readUses({ rpcUrl, fetch, endsAt }, receipts, async ({ id }, isUsed) => {
        await store.update(id, { status: isUsed ? 'charged' : 'released' });
      });
    }),
  );
}
