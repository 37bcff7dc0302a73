/** The nodes of EVM chains: one client a chain over all of its URLs, the first that answers is used. */
import {
  BaseError,
  type Chain as ClientChain,
  createPublicClient,
  defineChain,
  fallback,
  HttpRequestError,
  http,
  InternalRpcError,
  LimitExceededRpcError,
  type PublicClient,
  ResourceUnavailableRpcError,
  TimeoutError,
  type Transport,
} from 'viem';
import type { RpcSettings } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { Chain, Registry } from '../registry.ts';

export type EvmClient = PublicClient<Transport, ClientChain>;

export type EvmNodes = {
  /** Throws CHAIN_UNAVAILABLE for a chain without a node. Its own failures are viem's: ask through `asking`. */
  client(chainId: number): EvmClient;
  /** Runs `work` with the chain's client; what fails for the node's sake becomes CHAIN_UNAVAILABLE, a revert stays one. */
  asking<Answer>(chainId: number, work: (client: EvmClient) => Promise<Answer>): Promise<Answer>;
};

const REQUEST_TIMEOUT_MS = 10_000;
const RETRIES = 2;
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Opens no connection: clients are made when first asked for. */
export function openEvmNodes(options: { registry: Registry; rpc: readonly RpcSettings[] }): EvmNodes {
  const clients = new Map<number, EvmClient>();
  const client = (chainId: number): EvmClient => {
    const known = clients.get(chainId);
    if (known) return known;
    const chain = options.registry.chain(chainId);
    const settings = options.rpc.find((candidate) => candidate.chainId === chainId);
    if (!chain || !settings || chain.family !== 'EVM') throw unavailable(chainId, undefined);
    const opened = openClient(chain, settings);
    clients.set(chainId, opened);
    return opened;
  };
  return {
    client,
    asking: async (chainId, work) => {
      try {
        return await work(client(chainId));
      } catch (error) {
        if (isNodeFault(error)) throw unavailable(chainId, error);
        throw error;
      }
    },
  };
}

function openClient(chain: Chain, settings: RpcSettings): EvmClient {
  return createPublicClient({
    chain: defineChain({
      id: chain.chainId,
      name: chain.name,
      nativeCurrency: { name: chain.native.symbol, ...chain.native },
      rpcUrls: { default: { http: settings.urls } },
      contracts: { multicall3: { address: MULTICALL3 } },
    }),
    pollingInterval: settings.pollingIntervalMs,
    transport: fallback(
      settings.urls.map((url) => http(url, { timeout: REQUEST_TIMEOUT_MS, retryCount: RETRIES })),
      { retryCount: 0 },
    ),
  });
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

function unavailable(chainId: number, cause: unknown): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} cannot be reached at the moment.`, {
    meta: { chainId },
    cause,
  });
}
