import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  isAddressEqual,
  multicall3Abi,
  type PublicClient,
  zeroAddress,
} from 'viem';
import { escrowAbi } from '../escrow-abi.ts';
import { decodeEscrowState, type EscrowState } from '../read-escrow-state.ts';

export type Box = { id: Hex; address: Address };

/** `balances` are in base units by token, with the zero address for the native coin. Tokens whose call failed are missing. */
export type BoxReading = { state: EscrowState; balances: ReadonlyMap<Address, bigint> };

/** `timestamp` is that of the block, in Unix seconds. A box whose state was not returned is missing. */
export type BoxesReading = { timestamp: number; boxes: ReadonlyMap<Hex, BoxReading> };

/** More calls in one request would exceed the gas limit of public nodes. */
const CALLS_AT_ONCE = 400;

/**
 * Reads the balances of deposit addresses in each token, and the state of their payments, by Multicall3: at the latest block, or
 * at exactly the block of `blockHash`, which must be canonical (EIP-1898), so that balances and states are consistent. Boxes
 * beyond the first request are read at the same block only if a block hash is given. Throws the node's errors, and if the chain
 * has no Multicall3.
 */
export async function readBoxes(
  world: { client: Pick<PublicClient, 'request'>; escrow: Address; multicall: Address },
  request: { boxes: readonly Box[]; tokens: readonly Address[]; blockHash?: Hex },
): Promise<BoxesReading> {
  const { boxes, tokens, blockHash } = request;
  const perRequest = Math.max(1, Math.floor(CALLS_AT_ONCE / (tokens.length + 1)));
  const found = new Map<Hex, BoxReading>();
  let timestamp = 0;
  for (let start = 0; start < boxes.length; start += perRequest) {
    const part = boxes.slice(start, start + perRequest);
    const results = await call(world, { boxes: part, tokens, ...(blockHash === undefined ? {} : { blockHash }) });
    timestamp = Number(BigInt(results[0]?.returnData ?? '0x0'));
    for (const [index, box] of part.entries()) {
      const at = 1 + index * (tokens.length + 1);
      const reading = readingOf(results.slice(at, at + tokens.length + 1), tokens);
      if (reading) found.set(box.id, reading);
    }
  }
  return { timestamp, boxes: found };
}

type Result = { success: boolean; returnData: Hex };

async function call(
  { client, escrow, multicall }: Parameters<typeof readBoxes>[0],
  { boxes, tokens, blockHash }: Parameters<typeof readBoxes>[1],
): Promise<readonly Result[]> {
  const ask = (target: Address, callData: Hex) => ({ target, allowFailure: true, callData });
  const time = encodeFunctionData({ abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' });
  const calls = boxes.flatMap(({ id, address }) => [
    ask(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'stateOf', args: [id] })),
    ...tokens.map((token) =>
      isAddressEqual(token, zeroAddress)
        ? ask(multicall, encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [address] }))
        : ask(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })),
    ),
  ]);
  const args = [[ask(multicall, time), ...calls]] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args });
  const block = blockHash === undefined ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  const answer = await client.request({ method: 'eth_call', params: [{ to: multicall, data }, block] });
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
}

function readingOf([state, ...balances]: readonly Result[], tokens: readonly Address[]): BoxReading | null {
  if (!state?.success) return null;
  const held = new Map<Address, bigint>();
  for (const [index, token] of tokens.entries()) {
    const balance = balances[index];
    // A contract that returns less than a word is no longer a token.
    if (balance?.success && balance.returnData.length >= 66) {
      held.set(token, BigInt(balance.returnData.slice(0, 66)));
    }
  }
  return { state: decodeEscrowState(state.returnData), balances: held };
}
