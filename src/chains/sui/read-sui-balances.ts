import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { type Holding, type HoldingAnswer, printableSymbol, readingOf, unreadable } from '../balances/holding.ts';
import { NATIVE } from '../chain.ts';
import { inParallel } from '../in-parallel.ts';
import { type SuiNodes, suiStatus } from './open-sui-nodes.ts';

/** Number of concurrent requests. Sui returns the balance of one owner and coin at a time. */
const CALLS_AT_ONCE = 8;
const COIN = '0x2::sui::SUI';
const DECIMALS_LIMIT = 77;

/** Makes one call for each holding, at most eight at a time. Throws CHAIN_UNAVAILABLE if the node fails. */
export async function readSuiBalances(
  world: { suiNodes: SuiNodes },
  request: { chainId: number; holdings: readonly Holding[] },
): Promise<HoldingAnswer[]> {
  return await inParallel(CALLS_AT_ONCE, request.holdings, (holding) =>
    world.suiNodes.asking(request.chainId, (client) => readHolding(client, holding)),
  );
}

async function readHolding(client: SuiGrpcClient, holding: Holding): Promise<HoldingAnswer> {
  const coinType = holding.token === NATIVE ? COIN : holding.token;
  try {
    const [{ response }, coin] = await Promise.all([
      client.stateService.getBalance({ owner: holding.owner, coinType }),
      holding.registered ? null : client.stateService.getCoinInfo({ coinType }),
    ]);
    const baseUnits = response.balance?.balance ?? 0n;
    if (holding.registered) return readingOf(holding.registered, baseUnits);
    const { decimals, symbol } = coin?.response.metadata ?? {};
    if (decimals === undefined || decimals > DECIMALS_LIMIT) return unreadable(holding);
    return { baseUnits, decimals, symbol: printableSymbol(symbol ?? '') };
  } catch (error) {
    const status = suiStatus(error);
    if (status === 'NOT_FOUND' || status === 'INVALID_ARGUMENT') return unreadable(holding);
    throw error;
  }
}
