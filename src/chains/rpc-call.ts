/** What is the same for the nodes of every family: how a request to one is told of, and how its failure is answered. */
import { GatewayError } from '../errors.ts';

/** One request to a node, for metrics. `provider` is the host: the rest of the URL is a secret. */
export type RpcCall = {
  chainId: number;
  provider: string;
  durationSeconds: number;
  /** Null unless the node failed; a revert is an answer. */
  fault: 'timeout' | 'rate_limited' | 'http' | 'rpc' | null;
};

export function chainUnavailable(chainId: number, cause?: unknown): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} cannot be reached at the moment.`, {
    meta: { chainId },
    cause,
  });
}
