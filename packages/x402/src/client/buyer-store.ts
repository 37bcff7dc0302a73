/** Where a buyer keeps what it has spent. A store is atomic: two reservations at once never exceed the limit together. */

export type Receipt = {
  id: string;
  /** When the amount was reserved. */
  at: string;
  method: string;
  url: string;
  scheme: string;
  network: string;
  asset: string;
  /** Base units. */
  amount: string;
  /** 10⁻¹⁸ units of the budget. */
  units: string;
  payTo: string;
  payer: string;
  /** Known once the payment has been signed. */
  nonce: string | null;
  /** Unix seconds; after that, the signature is worth nothing. */
  validBefore: number | null;
  /**
   * `reserved`: the call is running. `charged`: the server reported the payment. `unconfirmed`: it was signed, and the server did not
   * report a payment, which may still happen until `validBefore`. `released`: nothing was charged.
   */
  status: 'reserved' | 'charged' | 'unconfirmed' | 'released';
  /** The transaction that the server names. */
  transaction: string | null;
};

export type BuyerStore = {
  /** Keeps the receipt if everything of its day that is not released, with it, is at most `limit` (10⁻¹⁸ units). False otherwise. */
  reserve(receipt: Receipt, limit: bigint): Promise<boolean>;
  update(id: string, change: Partial<Receipt>): Promise<void>;
  /** The newest first. */
  list(): Promise<Receipt[]>;
};

export type StoreOptions = {
  /**
   * Receipts that were charged or released are removed after so many days, by default 1 in memory and 30 in a file. What may still be charged is
   * kept.
   */
  keepDays?: number;
};

const KEEP_DAYS = 1;
const DAY_MS = 86_400_000;

/** For one process; a restart forgets what was spent. */
export function memoryStore({ keepDays = KEEP_DAYS }: StoreOptions = {}): BuyerStore {
  const receipts = new Map<string, Receipt>();
  return {
    reserve: async (receipt, limit) => {
      if (spentOn(dayOf(receipt), receipts.values()) + BigInt(receipt.units) > limit) return false;
      for (const one of receipts.values()) if (!isKept(one, receipt, keepDays)) receipts.delete(one.id);
      receipts.set(receipt.id, receipt);
      return true;
    },
    update: async (id, change) => {
      const known = receipts.get(id);
      if (known) receipts.set(id, { ...known, ...change });
    },
    list: async () => [...receipts.values()].reverse(),
  };
}

export function dayOf({ at }: Pick<Receipt, 'at'>): string {
  return at.slice(0, 10);
}

/** Whether a receipt is kept when `newest` is added: on its day, for so many days, and until its outcome is known. */
export function isKept(receipt: Receipt, newest: Receipt, keepDays: number): boolean {
  const isOpen = receipt.status === 'reserved' || receipt.status === 'unconfirmed';
  const keptFrom = Date.parse(newest.at) - keepDays * DAY_MS;
  return isOpen || dayOf(receipt) === dayOf(newest) || Date.parse(receipt.at) >= keptFrom;
}

/** 10⁻¹⁸ units that are spent or may still be. */
export function spentOn(day: string, receipts: Iterable<Receipt>): bigint {
  let sum = 0n;
  for (const receipt of receipts) {
    if (dayOf(receipt) === day && receipt.status !== 'released') sum += BigInt(receipt.units);
  }
  return sum;
}
