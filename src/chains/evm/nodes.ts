/** The nodes of EVM chains: one client a chain over all of its URLs, the first that answers is used. */
import {
  BaseError,
  BlockNotFoundError,
  type Chain as ClientChain,
  createPublicClient,
  defineChain,
  fallback,
  HttpRequestError,
  type HttpTransport,
  http,
  InternalRpcError,
  LimitExceededRpcError,
  type PublicClient,
  ResourceUnavailableRpcError,
  TimeoutError,
  type Transport,
} from 'viem';
import type { RpcSettings } from '../../config.ts';
import type { Chain, Registry } from '../registry.ts';
import { chainUnavailable, type RpcCall } from '../rpc-call.ts';

export type EvmClient = PublicClient<Transport, ClientChain>;

export type EvmNodes = {
  /** Throws CHAIN_UNAVAILABLE for a chain without a node. Its own failures are viem's: ask through `asking`. */
  client(chainId: number): EvmClient;
  /** Runs `work` with the chain's client; what fails for the node's sake becomes CHAIN_UNAVAILABLE, a revert stays one. */
  asking<Answer>(chainId: number, work: (client: EvmClient) => Promise<Answer>): Promise<Answer>;
  /**
   * The same with one node alone: the first that answers and has this block. A node that is behind, or on another fork,
   * answers questions about blocks that it does not have with nothing instead of with a fault.
   */
  askingOneWith<Answer>(
    chainId: number,
    block: { number: bigint; hash: string | undefined },
    work: (client: EvmClient) => Promise<Answer>,
  ): Promise<Answer>;
};

type Opened = { all: EvmClient; each: readonly EvmClient[] };

const REQUEST_TIMEOUT_MS = 10_000;
/** Of the only node; where there is another, that one is asked instead. */
const RETRIES = 2;
/** For how long a node that failed is left alone while another answers. */
const REST_MS = 30_000;
/** Where it lies on nearly every chain. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Opens no connection: clients are made when first asked for. */
export function openEvmNodes(options: {
  registry: Registry;
  rpc: readonly RpcSettings[];
  observe?: ((call: RpcCall) => void) | undefined;
}): EvmNodes {
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
  return {
    client,
    asking: async (chainId, work) => {
      try {
        return await work(client(chainId));
      } catch (error) {
        if (isNodeFault(error)) throw chainUnavailable(chainId, error);
        throw error;
      }
    },
    askingOneWith: async (chainId, block, work) => {
      let fault: unknown;
      for (const one of open(chainId).each) {
        try {
          await demandBlock(one, block);
        } catch (error) {
          // Some refuse to talk about a block that they do not have.
          if (!(error instanceof BaseError)) throw error;
          fault = error;
          continue;
        }
        try {
          return await work(one);
        } catch (error) {
          if (!isNodeFault(error)) throw error;
          fault = error;
        }
      }
      throw chainUnavailable(chainId, fault);
    },
  };
}

/** Throws BlockNotFoundError where the node has another block at that height, or none. */
async function demandBlock(client: EvmClient, { number, hash }: { number: bigint; hash: string | undefined }) {
  const found = await client.getBlock({ blockNumber: number });
  if (hash !== undefined && found.hash.toLowerCase() !== hash) throw new BlockNotFoundError({ blockNumber: number });
}

function openClients(chain: Chain, settings: RpcSettings, observe?: (call: RpcCall) => void): Opened {
  const told = (url: string) =>
    observe && ((call: Told) => observe({ chainId: chain.chainId, provider: new URL(url).host, ...call }));
  const transports = withRests(
    settings.urls.map((url) =>
      observed(
        http(url, { timeout: REQUEST_TIMEOUT_MS, retryCount: settings.urls.length > 1 ? 0 : RETRIES }),
        told(url),
      ),
    ),
  );
  const over = (some: HttpTransport[]): EvmClient =>
    createPublicClient({
      chain: defineChain({
        id: chain.chainId,
        name: chain.name,
        nativeCurrency: { name: chain.native.symbol, ...chain.native },
        rpcUrls: { default: { http: settings.urls } },
        contracts: { multicall3: { address: MULTICALL3 } },
      }),
      pollingInterval: settings.pollingIntervalMs,
      transport: fallback(some, { retryCount: 0 }),
    });
  return { all: over(transports), each: transports.map((transport) => over([transport])) };
}

/**
 * Each of several nodes rests after a fault, so that one that hangs costs its time once and not with every request.
 * When all of them rest, all are asked.
 */
function withRests(transports: HttpTransport[]): HttpTransport[] {
  const restUntil = transports.map(() => 0);
  const rests = (index: number) =>
    (restUntil[index] ?? 0) > performance.now() && restUntil.some((until) => until <= performance.now());
  return transports.map((transport, index) => (parameters) => {
    const opened = transport(parameters);
    const request = new Proxy(opened.request, {
      apply(target, self, args) {
        if (rests(index)) return Promise.reject(new TimeoutError({ body: {}, url: 'resting' }));
        const answer: Promise<unknown> = Reflect.apply(target, self, args);
        const note = (until: number) => {
          restUntil[index] = until;
        };
        answer.then(
          () => note(0),
          (error: unknown) => note(isNodeFault(error) ? performance.now() + REST_MS : 0),
        );
        return answer;
      },
    });
    return { ...opened, request };
  });
}

type Told = Omit<RpcCall, 'chainId' | 'provider'>;

/** The same transport, watched: every request is told of when it is answered or has failed. */
function observed(transport: HttpTransport, tell: ((call: Told) => void) | undefined): HttpTransport {
  if (!tell) return transport;
  return (parameters) => {
    const opened = transport(parameters);
    const request = new Proxy(opened.request, {
      apply(target, self, args) {
        const startedAt = performance.now();
        const end = (fault: RpcCall['fault']) =>
          tell({ durationSeconds: (performance.now() - startedAt) / 1000, fault });
        const answer: Promise<unknown> = Reflect.apply(target, self, args);
        answer.then(
          () => end(null),
          (error: unknown) => end(nodeFault(error)),
        );
        return answer;
      },
    });
    return { ...opened, request };
  };
}

function nodeFault(error: unknown): RpcCall['fault'] {
  if (!isNodeFault(error) || !(error instanceof BaseError)) return null;
  const has = (test: (cause: unknown) => boolean) => error.walk(test) !== null;
  if (has((cause) => cause instanceof TimeoutError)) return 'timeout';
  const limited = (cause: unknown) =>
    cause instanceof LimitExceededRpcError || (cause instanceof HttpRequestError && cause.status === 429);
  if (has(limited)) return 'rate_limited';
  return has((cause) => cause instanceof HttpRequestError) ? 'http' : 'rpc';
}

/** Whether the node failed, and not what was asked of it. */
export function isNodeFault(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const fault = error.walk(
    (cause) =>
      cause instanceof HttpRequestError ||
      cause instanceof TimeoutError ||
      cause instanceof LimitExceededRpcError ||
      cause instanceof ResourceUnavailableRpcError ||
      cause instanceof InternalRpcError,
  );
  return fault !== null;
}
