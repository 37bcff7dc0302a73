/**
 * The nodes of Sui networks, which speak gRPC over HTTP: one client a URL, the first that answers is used. The library is
 * loaded when a node is first asked, so that a program without Sui pays nothing for it.
 */
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { RpcSettings } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { statusFault } from '../node-answer.ts';
import type { Registry } from '../registry.ts';
import { chainUnavailable, type NodeObservers, type RpcCall } from '../rpc-call.ts';

export type SuiNodes = {
  /** Runs `work` with a client of the chain; what fails for the node's sake is tried on the next, then CHAIN_UNAVAILABLE. */
  asking<Answer>(chainId: number, work: (client: SuiGrpcClient) => Promise<Answer>): Promise<Answer>;
};

const REQUEST_TIMEOUT_MS = 10_000;

/** gRPC statuses that speak of what was asked; any other is the node's. */
const ASKERS_FAULTS = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'OUT_OF_RANGE', 'FAILED_PRECONDITION']);

/** Opens no connection: clients are made when first asked for. */
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

/** The status of a refused call, such as NOT_FOUND. */
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

/** Told of when the headers are here; a node's trouble inside a good answer shows in what is asked of it. */
function observedFetch(
  node: Pick<RpcCall, 'chainId' | 'provider'>,
  observe: ((call: RpcCall) => void) | undefined,
): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now();
    const tell = (fault: RpcCall['fault']) =>
      observe?.({ ...node, durationSeconds: (performance.now() - startedAt) / 1000, fault, refusal: null });
    try {
      const answer = await fetch(input, init);
      tell(answer.ok ? null : statusFault(answer.status).answer);
      return answer;
    } catch (error) {
      tell(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable');
      throw error;
    }
  };
}
