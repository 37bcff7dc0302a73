/** Shared by the nodes of every family: how a request is reported, and how its failure is handled. */
import { GatewayError } from '../errors.ts';
import type { NodeAnswer } from './node-answer.ts';

/** One request to a node, for metrics. `provider` is the host: the rest of the URL is a secret. */
export type RpcCall = {
  chainId: number;
  provider: string;
  durationSeconds: number;
  /** Null unless the node failed. A revert is not a failure of the node. */
  fault: NodeAnswer | null;
  /** Why the node rejected the request, which is not a fault of the node. Null if it did not reject it. */
  refusal: NodeAnswer | null;
};

/** Work that failed because no node of the chain returned a usable response, for metrics. */
export type ChainFailure = { chainId: number; answer: NodeAnswer };

export type NodeObservers = {
  observe?: ((call: RpcCall) => void) | undefined;
  onUnavailable?: ((failure: ChainFailure) => void) | undefined;
};

export function chainUnavailable(chainId: number, cause?: unknown): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} cannot be reached at the moment.`, {
    meta: { chainId },
    cause,
  });
}
