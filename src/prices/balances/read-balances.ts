import { findHolding } from '../../chains/balances/find-holding.ts';
import type {
  BalanceQuery,
  Holding,
  HoldingAnswer,
  HoldingReading,
  ReadHoldings,
} from '../../chains/balances/holding.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { readEvmBalances } from '../../chains/evm/read-evm-balances.ts';
import { inParallel } from '../../chains/in-parallel.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { chainUnavailable } from '../../chains/rpc-call.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { readSolanaBalances } from '../../chains/solana/read-solana-balances.ts';
import type { SuiNodes } from '../../chains/sui/open-sui-nodes.ts';
import { readSuiBalances } from '../../chains/sui/read-sui-balances.ts';
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';

export type BalanceWorld = {
  registry: Registry;
  nodes: EvmNodes;
  solanaNodes: SolanaNodes;
  suiNodes: SuiNodes;
  config: Pick<Config, 'balanceTimeoutMs'>;
  log: Log;
};

export type BalanceAnswer = { holding: Holding; reading: HoldingReading } | GatewayError;

const CHAINS_AT_ONCE = 8;

/**
 * Reads balances on any known chains and returns them in the order of the queries; duplicates are read once. Chains are read
 * independently, each within BALANCE_TIMEOUT_MS, so that a slow or broken chain affects only its own items. Errors are returned per
 * item: VALIDATION_ERROR, NOT_FOUND for a token that does not exist, CHAIN_UNAVAILABLE if the chain has no node or its node failed.
 */
export async function readBalances(world: BalanceWorld, queries: readonly BalanceQuery[]): Promise<BalanceAnswer[]> {
  const found = await Promise.all(queries.map((query) => findOrFault(world, query)));
  const byChain = new Map<number, Map<string, Holding>>();
  for (const holding of found) {
    if (holding instanceof GatewayError) continue;
    const { chainId } = holding.chain;
    byChain.set(chainId, (byChain.get(chainId) ?? new Map()).set(keyOf(holding), holding));
  }
  const answers = new Map<string, HoldingAnswer>();
  await inParallel(CHAINS_AT_ONCE, [...byChain.values()], async (holdings) => {
    const asked = [...holdings.values()];
    const read = await readChain(world, asked);
    for (const [index, holding] of asked.entries()) {
      const answer = read[index];
      if (answer) answers.set(keyOf(holding), answer);
    }
  });
  return found.map((holding) => {
    if (holding instanceof GatewayError) return holding;
    const reading = answers.get(keyOf(holding)) ?? chainUnavailable(holding.chain.chainId);
    return reading instanceof GatewayError ? reading : { holding, reading };
  });
}

async function findOrFault(world: BalanceWorld, query: BalanceQuery): Promise<Holding | GatewayError> {
  try {
    return await findHolding(world, query);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

async function readChain(world: BalanceWorld, holdings: Holding[]): Promise<HoldingAnswer[]> {
  const chain = holdings[0]?.chain;
  if (!chain) return [];
  const { chainId } = chain;
  try {
    await loadLibrary(chain.family);
    return await withinTime(readerOf(world, chain)({ chainId, holdings }), chainId, world.config.balanceTimeoutMs);
  } catch (error) {
    if (error instanceof GatewayError) return holdings.map(() => error);
    world.log.error({ chainId, err: error }, 'Balances could not be read because of an unexpected error.');
    const masked = new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error });
    return holdings.map(() => masked);
  }
}

/** Loads a chain's library before the time limit starts, because the first load may take longer than the limit. */
async function loadLibrary(family: Chain['family']): Promise<void> {
  switch (family) {
    case 'EVM':
      return;
    case 'SOLANA':
      await Promise.all([import('@solana/web3.js'), import('@solana/spl-token')]);
      return;
    case 'SUI':
      await import('@mysten/sui/grpc');
      return;
    default:
      return family satisfies never;
  }
}

function readerOf(world: BalanceWorld, chain: Chain): ReadHoldings {
  switch (chain.family) {
    case 'EVM':
      return (request) => readEvmBalances(world, request);
    case 'SOLANA':
      return (request) => readSolanaBalances(world, request);
    case 'SUI':
      return (request) => readSuiBalances(world, request);
    default:
      return chain.family satisfies never;
  }
}

/** The work may continue after the timeout. Each of its requests has its own limit. */
async function withinTime<Answer>(work: Promise<Answer>, chainId: number, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(chainUnavailable(chainId)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function keyOf({ chain, owner, token }: Holding): string {
  return `${chain.chainId} ${owner} ${token}`;
}
