/**
 * The nodes of Sui networks, which use gRPC over HTTP: one client for each URL. The first node that responds is used. The library is
 * loaded when a node is first called, so that a program without Sui does not load it.
 */
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { RpcSettings } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { statusFault } from '../node-answer.ts';
import type { Registry } from '../registry.ts';
import { chainUnavailable, type NodeObservers, type RpcCall } from '../rpc-call.ts';

export type SuiNodes = {
  /** Runs `work` with a client of the chain. If a node fails, the next one is used. Throws CHAIN_UNAVAILABLE if all fail. */
  asking<Answer>(chainId: number, work: (client: SuiGrpcClient) => Promise<Answer>): Promise<Answer>;
};

const REQUEST_TIMEOUT_MS = 10_000;

/** gRPC statuses that mean that the request is at fault. Any other status is the node's fault. */
const ASKERS_FAULTS = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'OUT_OF_RANGE', 'FAILED_PRECONDITION']);

/** Opens no connection. Clients are created when they are first requested. */
export function openSuiNodes(options: { registry: Registry; rpc: readonly RpcSettings[] } & NodeObservers): SuiNodes {
  const opened = new Map<number, Promise<SuiGrpcClient[]>>();
  const clients = (chainId: number): Promise<SuiGrpcClient[]> => {
    const known = opened.get(chainId);
    if (known) return known;
    const settings = options.rpc.find((candidate) => candidate.chainId === chainId);
    if (!settings || options.registry.chain(chainId)?.family !== 'SUI') return Promise.resolve([]);
    const made = openClients(settings, options.observe);
    opened.set(chainId, made);
    return made;
  };
  return {
    asking: async (chainId, work) => {
      let last: unknown;
      for (const client of await clients(chainId)) {
        try {
          return await work(client);
        } catch (error) {
          if (error instanceof GatewayError || !isSuiNodeFault(error)) throw error;
          last = error;
        }
      }
      options.onUnavailable?.({ chainId, answer: 'rpc' });
      throw chainUnavailable(chainId, last);
    },
  };
}

/** Returns the status of a rejected call, such as NOT_FOUND. */
export function suiStatus(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isSuiNodeFault(error: unknown): boolean {
  const status = suiStatus(error);
  return status !== undefined && !ASKERS_FAULTS.has(status);
}

async function openClients(settings: RpcSettings, observe?: (call: RpcCall) => void): Promise<SuiGrpcClient[]> {
  const { SuiGrpcClient: Client } = await import('@mysten/sui/grpc');
  return settings.urls.map(
    (url) =>
      new Client({
        network: String(settings.chainId),
        baseUrl: url.replace(/\/$/, ''),
        timeout: REQUEST_TIMEOUT_MS,
        fetch: observedFetch({ chainId: settings.chainId, provider: new URL(url).host }, observe),
      }),
  );
}

/** Reports a request when its headers arrive. An error inside a successful HTTP response is reported by the caller. */
function observedFetch(
  node: Pick<RpcCall, 'chainId' | 'provider'>,
  observe: ((call: RpcCall) => void) | undefined,
): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now();
    const report = (fault: RpcCall['fault']) =>
      observe?.({ ...node, durationSeconds: (performance.now() - startedAt) / 1000, fault, refusal: null });
    try {
      const answer = await fetch(input, init);
      report(answer.ok ? null : statusFault(answer.status).answer);
      return answer;
    } catch (error) {
      report(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable');
      throw error;
    }
  };
}
