import { decodeEventLog, getAbiItem, type Hex, type Log, numberToHex, pad, parseAbi, toEventSelector } from 'viem';
import { z } from 'zod';
import { type Chain, NATIVE } from '../chains/chain.ts';
import type { EvmClient, EvmNodes } from '../chains/evm/nodes.ts';
import { logShape } from '../chains/evm/result-shapes.ts';
import type { Registry } from '../chains/registry.ts';
import { escrowAbi } from '../escrow/escrow-abi.ts';
import { decodeEscrowLog, toAbiJson } from '../escrow/escrow-event.ts';
import { byPlace, type ChainLog, lowest } from './chain-fact.ts';
import type { FactSource } from './fact-source.ts';

const tokenAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
]);
const transferTopic = toEventSelector('Transfer(address,address,uint256)');
const creditedTopic = toEventSelector(getAbiItem({ abi: escrowAbi, name: 'Credited' }));
const claimedTopic = toEventSelector(getAbiItem({ abi: escrowAbi, name: 'Claimed' }));
const approvalTopic = toEventSelector('Approval(address,address,uint256)');

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]);
type NodeLog = z.infer<typeof logShape>;
type Filter = { address: Hex | Hex[]; topics: (Hex | null)[] };

export type LogSource = FactSource & {
  /** Returns every log of `escrow` (default: the chain's) that carries this payment's id, from block `from` to the head. */
  readPayment(request: { chainId: number; id: Hex; from: bigint; escrow?: Hex }): Promise<ChainLog[]>;
  /** Returns every credit and claim of one recipient in one token, of any payment, from block `from` to the head. */
  readCredits(request: { chainId: number; recipient: Hex; token: Hex; from: bigint }): Promise<ChainLog[]>;
};

/**
 * Reads logs from the node itself with eth_getLogs, with at most `maxBlocks` blocks in each request (default 2000,
 * which public nodes allow). Throws CHAIN_UNAVAILABLE.
 */
export function openLogSource(world: { nodes: EvmNodes; registry: Registry; maxBlocks?: number }): LogSource {
  const step = BigInt(world.maxBlocks ?? 2000);
  type Wanted = { filters: Filter[]; from: bigint; to: bigint; head: { number: bigint; hash: string | undefined } };
  // All requests go to one node that has the head. A node without it omits logs, and the range would count as read.
  const ask = async (chainId: number, { filters, from, to, head }: Wanted): Promise<ChainLog[]> =>
    await world.nodes.askingOneWith(chainId, head, async (client) => {
      const answers = await Promise.all(filters.map((filter) => getLogs(client, filter, from, to)));
      return await dated(client, chainId, answers.flat());
    });
  const toHead = async (chainId: number, filters: Filter[], from: bigint): Promise<ChainLog[]> => {
    const number = await world.nodes.asking(chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
    const head = { number, hash: undefined };
    const found: ChainLog[] = [];
    for (let start = from; start <= number; start += step) {
      const to = lowest(start + step - 1n, number);
      found.push(...(await ask(chainId, { filters, from: start, to, head })));
    }
    return found;
  };
  return {
    async read({ chainId, from, to, headHash }) {
      const last = lowest(from + step - 1n, to);
      if (last < from) return { logs: [], through: { number: to, hash: null } };
      const filters = filtersOf(world.registry.chain(chainId));
      const logs = await ask(chainId, { filters, from, to: last, head: { number: to, hash: headHash } });
      return { logs, through: { number: last, hash: null } };
    },
    async readPayment({ chainId, id, from, ...given }) {
      const escrow = given.escrow ?? world.registry.chain(chainId)?.escrow;
      if (!escrow) return [];
      const found = await toHead(chainId, [{ address: escrow, topics: [null, id] }], from);
      return found.filter((log) => log.ref === id);
    },
    async readCredits({ chainId, recipient, token, from }) {
      const escrow = world.registry.chain(chainId)?.escrow;
      if (!escrow) return [];
      const owner = [pad(recipient), pad(token)];
      const filters = [
        { address: escrow, topics: [creditedTopic, null, ...owner] },
        { address: escrow, topics: [claimedTopic, ...owner] },
      ];
      return await toHead(chainId, filters, from);
    },
    close: async () => undefined,
  };
}

/** Filters for all events of the escrow, approvals that name it as spender, and transfers to it. */
function filtersOf(chain: Chain | undefined): Filter[] {
  if (!chain?.escrow) return [];
  const tokens = chain.tokens.map((token) => token.address).filter((address) => address !== NATIVE);
  const addresses = z.array(hex).parse(tokens);
  const escrowTopic: Hex = `0x${chain.escrow.slice(2).toLowerCase().padStart(64, '0')}`;
  const ofTokens = [approvalTopic, transferTopic].map((topic) => ({
    address: addresses,
    topics: [topic, null, escrowTopic],
  }));
  return [{ address: chain.escrow, topics: [] }, ...(addresses.length > 0 ? ofTokens : [])];
}

async function getLogs(client: EvmClient, filter: Filter, from: bigint, to: bigint): Promise<NodeLog[]> {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  const answer = await client.request({ method: 'eth_getLogs', params: [{ ...filter, ...range }] });
  return z.array(logShape).parse(answer);
}

/** Most nodes omit the block's timestamp from logs, so it is read from the blocks. */
async function dated(client: EvmClient, chainId: number, logs: NodeLog[]): Promise<ChainLog[]> {
  const times = new Map<string, bigint>();
  for (const log of logs) {
    if (log.blockTimestamp) times.set(log.blockHash, BigInt(log.blockTimestamp));
  }
  const undated = [...new Set(logs.map((log) => log.blockHash))].filter((hash) => !times.has(hash));
  for (const blockHash of undated) times.set(blockHash, (await client.getBlock({ blockHash })).timestamp);
  return logs
    .flatMap((log) => {
      const decoded = decode(log);
      if (!decoded) return [];
      return {
        chainId,
        blockNumber: BigInt(log.blockNumber),
        blockHash: log.blockHash.toLowerCase(),
        blockTimestamp: times.get(log.blockHash) ?? 0n,
        txHash: log.transactionHash.toLowerCase(),
        logIndex: Number(log.logIndex),
        address: log.address.toLowerCase(),
        ...decoded,
        args: withLowerCase(decoded.args),
      };
    })
    .sort(byPlace);
}

function decode(log: NodeLog): Pick<ChainLog, 'kind' | 'ref' | 'args'> | null {
  const [first, ...rest] = log.topics;
  if (first === undefined) return null;
  const topics: Log['topics'] = [first, ...rest];
  if (first !== transferTopic && first !== approvalTopic) return decodeEscrowLog({ topics, data: log.data });
  try {
    const { eventName, args } = decodeEventLog({ abi: tokenAbi, topics, data: log.data });
    return { kind: eventName, ref: null, args: toAbiJson(args) };
  } catch {
    // A token of another standard, such as ERC-721, whose value is indexed.
    return null;
  }
}

/** Converts addresses in arguments to lower case, as Ponder reports them. */
export function withLowerCase(args: Record<string, unknown>): Record<string, unknown> {
  return z
    .record(z.string(), z.unknown())
    .parse(
      JSON.parse(JSON.stringify(args), (_, value: unknown) =>
        typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value,
      ),
    );
}
