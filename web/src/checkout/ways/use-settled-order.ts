/**
 * The order of the ways, made once for a wallet: as soon as its balances are read, or when that takes too long. Afterwards nothing moves
 * under the payer's finger; what turns out to be too little is greyed where it stands.
 */
import { useEffect, useState } from 'react';
import type { Way } from '../pay/ways.ts';
import { keepOrder } from './order-ways.ts';

/** Most nodes answer in a third of this. */
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
