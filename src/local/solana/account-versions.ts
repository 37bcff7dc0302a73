/** The state of every touched account at each commitment. The virtual machine itself only knows the newest state. */
import type { SvmAccount } from './svm.ts';

type Version = { slot: number; account: SvmAccount | null };

export type AccountVersions = {
  /** Records a version. `before` is the account's previous state, used if it is touched for the first time. */
  note(address: string, version: Version, before: SvmAccount | null): void;
  /** Returns undefined for an account that no transaction has written. The virtual machine's state then applies. */
  at(address: string, slot: number): SvmAccount | null | undefined;
  /** Addresses of all accounts that any transaction has written. */
  addresses(): Iterable<string>;
};

/** Keeps no version that is older than the newest finalized one. */
export function openAccountVersions(finalizedSlot: () => number): AccountVersions {
  const versions = new Map<string, Version[]>();
  return {
    note(address, version, before) {
      const known = versions.get(address) ?? [{ slot: 0, account: before }];
      const finalized = known.findLastIndex(({ slot }) => slot <= finalizedSlot());
      const kept = known.slice(Math.max(0, finalized)).filter(({ slot }) => slot !== version.slot);
      versions.set(address, [...kept, version]);
    },
    at: (address, slot) => {
      const known = versions.get(address);
      return known && (known.findLast((version) => version.slot <= slot)?.account ?? null);
    },
    addresses: () => versions.keys(),
  };
}
