/**
 * The order of the ways to pay, which is determined once for a wallet: when its balances are read, or when that takes too long. Afterwards
 * nothing moves while the payer is choosing. Ways with too low a balance are grayed out in place.
 */
import { useEffect, useState } from 'react';
import type { Way } from '../pay/ways.ts';
import { keepOrder } from './order-ways.ts';

/** Most nodes respond in a third of this time. */
const PATIENCE_MS = 2_000;

/** Undefined while it is not settled. */
export function useSettledOrder(
  ways: readonly Way[],
  { owner, isReading }: { owner: string | undefined; isReading: boolean },
): readonly Way[] | undefined {
  const [settled, setSettled] = useState<{ owner: string | undefined; keys: readonly string[] }>();
  const [impatient, setImpatient] = useState<string>();
  useEffect(() => {
    if (owner === undefined) return;
    const timer = setTimeout(() => setImpatient(owner), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [owner]);
  const isOfWallet = settled !== undefined && settled.owner === owner;
  const isReady = owner !== undefined && ways.length > 0 && (!isReading || impatient === owner);
  if (isReady && !isOfWallet) setSettled({ owner, keys: ways.map(({ tokenKey }) => tokenKey) });
  return isOfWallet ? keepOrder(ways, settled.keys) : undefined;
}
