/**
 * The order of the ways to pay, and which of them the wallet cannot pay. Both are determined once for a wallet: when its balances are read,
 * or when that takes too long. Afterwards nothing moves while the payer is choosing. Ways with too low a balance are grayed out in place.
 */
import { useEffect, useState } from 'react';
import type { Held, Way } from '../pay/ways.ts';
import { isLacking, keepOrder } from './order-ways.ts';

/** Most nodes respond in a third of this time. */
const PATIENCE_MS = 2_000;

type Settled = { owner: string | undefined; keys: readonly string[]; lackingKeys: ReadonlySet<string> };

export type OrderedWays = { ways: readonly Way[]; lackingKeys: ReadonlySet<string> };

/** Undefined while it is not settled. */
export function useSettledOrder(
  ways: readonly Way[],
  { owner, isReading, held }: { owner: string | undefined; isReading: boolean; held: ReadonlyMap<number, Held> },
): OrderedWays | undefined {
  const [settled, setSettled] = useState<Settled>();
  const [impatient, setImpatient] = useState<string>();
  useEffect(() => {
    if (owner === undefined) return;
    const timer = setTimeout(() => setImpatient(owner), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [owner]);
  const isOfWallet = settled !== undefined && settled.owner === owner;
  const isReady = owner !== undefined && ways.length > 0 && (!isReading || impatient === owner);
  if (isReady && !isOfWallet) {
    const keys = ways.map(({ tokenKey }) => tokenKey);
    const lacking = ways.filter((way) => isLacking(way, held));
    setSettled({ owner, keys, lackingKeys: new Set(lacking.map(({ tokenKey }) => tokenKey)) });
  }
  return isOfWallet ? { ways: keepOrder(ways, settled.keys), lackingKeys: settled.lackingKeys } : undefined;
}
