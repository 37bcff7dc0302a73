/** The nodes of EVM chains: one client for each chain over all of its URLs. The first node that responds is used. */
import {
  BaseError,
  BlockNotFoundError,
  type Chain as ClientChain,
  createPublicClient,
  custom,
  defineChain,
  type PublicClient,
  type Transport,
} from 'viem';
import type { RpcSettings } from '../../config/config.ts';
import { nodeAnswers } from '../node-answer.ts';
import { type NodePool, openNodePool } from '../node-pool.ts';
import type { Chain, Registry } from '../registry.ts';
import { type ChainFailure, chainUnavailable, type NodeObservers, type RpcCall } from '../rpc-call.ts';
import { askNode, requireChain } from './ask-node.ts';
import { nodeAnswerOf, unavailableBy } from './classify-answer.ts';
import type { Question } from './result-shapes.ts';

export type EvmClient = PublicClient<Transport, ClientChain>;

export type EvmNodes = {
  /** Throws CHAIN_UNAVAILABLE for a chain without a node. Its own errors are viem's, so call it through `asking`. */
  client(chainId: number): EvmClient;
  /** Runs `work` with the chain's client. Failures of nodes become CHAIN_UNAVAILABLE, and a revert stays a revert. */
  asking<Answer>(chainId: number, work: (client: EvmClient) => Promise<Answer>): Promise<Answer>;
  /**
   * Does the same with a single node: the first that responds and has this block. A node that is behind or on another fork returns
   * nothing, rather than an error, for blocks that it does not have.
   */
  askingOneWith<Answer>(
    chainId: number,
    block: { number: bigint; hash: string | undefined },
    work: (client: EvmClient) => Promise<Answer>,
  ): Promise<Answer>;
};

type Opened = { all: EvmClient; each(): EvmClient[] };

/** Its address on nearly every chain. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Opens no connection. Clients are created when they are first requested. */
export function openEvmNodes(options: { registry: Registry; rpc: readonly RpcSettings[] } & NodeObservers): EvmNodes {
  const clients = new Map<number, Opened>();
  const open = (chainId: number): Opened => {
    const known = clients.get(chainId);
    if (known) return known;
    const chain = options.registry.chain(chainId);
    const settings = options.rpc.find((candidate) => candidate.chainId === chainId);
    if (!chain || !settings || chain.family !== 'EVM') throw chainUnavailable(chainId);
    const opened = openClients(chain, settings, options.observe);
    clients.set(chainId, opened);
    return opened;
  };
  const client = (chainId: number) => open(chainId).all;
  const unavailable = (chainId: number, answer: ChainFailure['answer'], error: unknown) => {
    options.onUnavailable?.({ chainId, answer });
    return chainUnavailable(chainId, error);
  };
  return {
    client,
    asking: async (chainId, work) => {
      try {
        return await work(client(chainId));
      } catch (error) {
        const answer = unavailableBy(error);
        throw answer === null ? error : unavailable(chainId, answer, error);
      }
    },
    askingOneWith: async (chainId, block, work) => {
      let last: unknown;
      for (const one of open(chainId).each()) {
        try {
          await requireBlock(one, block);
        } catch (error) {
          // Some nodes reject requests about a block that they do not have.
          if (!(error instanceof BaseError)) throw error;
          last = error;
          continue;
        }
        try {
          return await work(one);
        } catch (error) {
          if (unavailableBy(error) === null) throw error;
          last = error;
        }
      }
      throw unavailable(chainId, unavailableBy(last) ?? 'missing', last);
    },
  };
}

/** Throws BlockNotFoundError if the node has another block at that height, or none. */
async function requireBlock(client: EvmClient, { number, hash }: { number: bigint; hash: string | undefined }) {
  const found = await client.getBlock({ blockNumber: number });
  if (hash !== undefined && found.hash.toLowerCase() !== hash) throw new BlockNotFoundError({ blockNumber: number });
}

function openClients(chain: Chain, settings: RpcSettings, observe?: (call: RpcCall) => void): Opened {
  const { chainId } = chain;
  const nodes = settings.urls.map((url) => ({
    provider: new URL(url).host,
    ask: (question: Question, signal: AbortSignal) => askNode(url, question, signal),
    check: (signal: AbortSignal) => requireChain(url, chainId, signal),
  }));
  const pool = openNodePool(nodes, { chainId, checksFirst: true, observe, refusalOf });
  const over = (some: Pick<NodePool<Question, unknown>, 'ask'>): EvmClient =>
    createPublicClient({
      chain: defineChain({
        id: chainId,
        name: chain.name,
        nativeCurrency: { name: chain.native.symbol, ...chain.native },
        rpcUrls: { default: { http: settings.urls } },
        contracts: { multicall3: { address: MULTICALL3 } },
      }),
      pollingInterval: settings.pollingIntervalMs,
      transport: transportOver(some),
    });
  return { all: over(pool), each: () => pool.each().map(over) };
}

/** The pool handles retries and other nodes, so the library does not. */
function transportOver(nodes: Pick<NodePool<Question, unknown>, 'ask'>): Transport {
  const request = (question: Question): Promise<unknown> => nodes.ask(question);
  return custom({ request }, { key: 'nodes', name: 'Nodes of the chain', retryCount: 0 });
}

function refusalOf(error: unknown): RpcCall['refusal'] {
  const answer = nodeAnswerOf(error);
  return answer === null || nodeAnswers[answer].isFault ? null : answer;
}
