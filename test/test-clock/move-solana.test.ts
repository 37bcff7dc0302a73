/** The local Solana follows the test clock. */
import { expect, it } from 'vitest';
import { openSolanaTime } from '../../src/test-clock/move-solana.ts';
import { openSolana } from '../setup/chains/solana.ts';

const YEAR_MS = 365 * 86_400_000;

it.each([0, 50])('moves forward to an instant and never back, with slots of %d ms', async (slotMs) => {
  const solana = await openSolana({ slotMs });
  const time = openSolanaTime({ chainId: solana.chainId, urls: [solana.rpcUrl] });
  const blockTime = async () => {
    const slot = await solana.connection.getSlot('confirmed');
    return ((await solana.connection.getBlockTime(slot)) ?? 0) * 1000;
  };
  const before = await blockTime();
  expect(Math.abs(before - Date.now())).toBeLessThan(60_000);
  const target = new Date(Date.now() + YEAR_MS);
  await time.moveTo(target);
  expect(await blockTime()).toBeGreaterThanOrEqual(target.getTime());
  await time.moveTo(new Date());
  expect(await blockTime()).toBeGreaterThanOrEqual(target.getTime());
  expect(await blockTime()).toBeLessThan(target.getTime() + 120_000);
});
