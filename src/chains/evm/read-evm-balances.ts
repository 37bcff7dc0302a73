import { type Address, type ContractFunctionParameters, hexToString, isAddress, multicall3Abi } from 'viem';
import { type Holding, type HoldingAnswer, printableSymbol, readingOf, unreadable } from '../balances/holding.ts';
import { NATIVE } from '../chain.ts';
import { inParallel } from '../in-parallel.ts';
import { chainUnavailable } from '../rpc-call.ts';
import { isNodeFault } from './classify-answer.ts';
import { type EvmClient, type EvmNodes, MULTICALL3 } from './nodes.ts';

/** Number of concurrent calls of tokens that are not registered. */
const UNREGISTERED_AT_ONCE = 8;
const DECIMALS_LIMIT = 77;

const tokenAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
  { type: 'function', name: 'decimals', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint8' }] },
  { type: 'function', name: 'symbol', stateMutability: 'view', inputs: [], outputs: [{ type: 'string' }] },
] as const;

/** Some old tokens return their symbol as bytes32. */
const oldSymbolAbi = [
  { type: 'function', name: 'symbol', stateMutability: 'view', inputs: [], outputs: [{ type: 'bytes32' }] },
] as const;

type Outcome = { result: unknown } | { error: Error };

/**
 * Reads coins and registered tokens by one multicall at one block, and each unregistered token by calls of its own, because its code is
 * not trusted and could use up the gas of the others. If the chain has no Multicall3, the multicall brings its own code. Throws
 * CHAIN_UNAVAILABLE if the node fails.
 */
export async function readEvmBalances(
  world: { nodes: EvmNodes },
  request: { chainId: number; holdings: readonly Holding[] },
): Promise<HoldingAnswer[]> {
  const known = request.holdings.filter((holding) => holding.registered);
  const unregistered = request.holdings.filter((holding) => !holding.registered);
  return await world.nodes.asking(request.chainId, async (client) => {
    const [knownAnswers, unregisteredAnswers] = await Promise.all([
      known.length === 0 ? [] : readKnown(client, known),
      inParallel(UNREGISTERED_AT_ONCE, unregistered, (holding) => readUnregistered(client, holding)),
    ]);
    const answers = new Map<Holding, HoldingAnswer | undefined>([
      ...known.map((holding, index) => [holding, knownAnswers[index]] as const),
      ...unregistered.map((holding, index) => [holding, unregisteredAnswers[index]] as const),
    ]);
    return request.holdings.map((holding) => answers.get(holding) ?? unreadable(holding));
  });
}

async function readKnown(client: EvmClient, holdings: readonly Holding[]): Promise<HoldingAnswer[]> {
  // The first call shows whether Multicall3 exists: it reads the contract's own balance.
  const [probe, ...outcomes] = await callAll(client, [coinsOf(MULTICALL3), ...holdings.map(balanceCall)], false);
  if (probe && 'error' in probe) return await readWithoutMulticall(client, holdings);
  return holdings.map((holding, index) => knownReading(holding, outcomes[index]));
}

async function readWithoutMulticall(client: EvmClient, holdings: readonly Holding[]): Promise<HoldingAnswer[]> {
  const tokens = holdings.filter((holding) => holding.token !== NATIVE);
  const [outcomes, coins] = await Promise.all([
    tokens.length === 0 ? [] : callAll(client, tokens.map(balanceCall), true),
    inParallel(
      UNREGISTERED_AT_ONCE,
      holdings.filter((holding) => holding.token === NATIVE),
      async (holding) => [holding, await client.getBalance({ address: addressOf(holding.owner) })] as const,
    ),
  ]);
  const byHolding = new Map<Holding, Outcome | undefined>([
    ...tokens.map((holding, index) => [holding, outcomes[index]] as const),
    ...coins.map(([holding, result]) => [holding, { result }] as const),
  ]);
  return holdings.map((holding) => knownReading(holding, byHolding.get(holding)));
}

function knownReading(holding: Holding, outcome: Outcome | undefined): HoldingAnswer {
  const result = outcome && 'result' in outcome ? outcome.result : undefined;
  return typeof result === 'bigint' && holding.registered ? readingOf(holding.registered, result) : unreadable(holding);
}

/**
 * Uses separate calls, because the library would combine concurrent multicalls into one. Some nodes report a call that uses up its gas as
 * their own failure, so the fault is attributed to this holding alone.
 */
async function readUnregistered(client: EvmClient, holding: Holding): Promise<HoldingAnswer> {
  const address = addressOf(holding.token);
  const token = { address, abi: tokenAbi } as const;
  try {
    const [baseUnits, decimals, symbol, oldSymbol] = await Promise.all([
      unlessRefused(client.readContract({ ...token, functionName: 'balanceOf', args: [addressOf(holding.owner)] })),
      unlessRefused(client.readContract({ ...token, functionName: 'decimals' })),
      unlessRefused(client.readContract({ ...token, functionName: 'symbol' })),
      unlessRefused(client.readContract({ address, abi: oldSymbolAbi, functionName: 'symbol' })),
    ]);
    if (baseUnits === null || decimals === null || decimals > DECIMALS_LIMIT) return unreadable(holding);
    const old = oldSymbol === null ? '' : hexToString(oldSymbol, { size: 32 });
    return { baseUnits, decimals, symbol: printableSymbol(symbol ?? old) };
  } catch (error) {
    if (isNodeFault(error)) return chainUnavailable(holding.chain.chainId, error);
    throw error;
  }
}

/** Returns null if the contract does not respond. Throws the node's errors. */
async function unlessRefused<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (isNodeFault(error)) throw error;
    return null;
  }
}

/** Throws the node's errors. A failure of the whole call is not attributed to its parts. */
async function callAll(
  client: EvmClient,
  contracts: readonly ContractFunctionParameters[],
  deployless: boolean,
): Promise<Outcome[]> {
  const answers = await client.multicall({
    contracts,
    allowFailure: true,
    batchSize: 0,
    ...(deployless ? { deployless: true } : { multicallAddress: MULTICALL3 }),
  });
  const fault = answers.find((answer) => answer.status === 'failure' && isNodeFault(answer.error));
  if (fault?.error) throw fault.error;
  return answers.map((answer) => (answer.status === 'success' ? { result: answer.result } : { error: answer.error }));
}

function balanceCall(holding: Holding): ContractFunctionParameters {
  if (holding.token === NATIVE) return coinsOf(addressOf(holding.owner));
  const args = [addressOf(holding.owner)];
  return { address: addressOf(holding.token), abi: tokenAbi, functionName: 'balanceOf', args };
}

function coinsOf(address: Address): ContractFunctionParameters {
  return { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [address] };
}

/** Reads a result that was already parsed. */
function addressOf(text: string): Address {
  if (isAddress(text, { strict: false })) return text;
  throw new TypeError(`${text} is not an EVM address.`);
}
