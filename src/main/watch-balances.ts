import type { ChainView } from '../facts/chain-view.ts';
import { type WatchWorld, watchDeposits } from '../payments/deposits/watch-deposits.ts';
import { type ExactMemory, watchExact } from '../payments/x402/exact/watch-exact.ts';

/**
 * Reads what the state of a chain shows and its indexed logs do not: balances of deposit addresses, and authorizations of x402 payments.
 * Returns the references of the facts that callers wait for.
 */
export async function watchBalances(
  world: WatchWorld & { memory: ExactMemory },
  view: ChainView,
): Promise<readonly string[]> {
  await watchDeposits(world, view);
  return await watchExact(world, view);
}
