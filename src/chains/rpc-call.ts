/** What is the same for the nodes of every family: how a request to one is reported, and how its failure is answered. */
import { GatewayError } from '../errors.ts';
import type { NodeAnswer } from './node-answer.ts';

/** One request to a node, for metrics. `provider` is the host: the rest of the URL is a secret. */
export type RpcCall = {
  chainId: number;
  provider: string;
  durationSeconds: number;
  /** Null unless the node failed; a revert is an answer. */
  fault: NodeAnswer | null;
  /** Why the node refused what was asked, which is no fault of the node; null where it did not. */
  refusal: NodeAnswer | null;
};

/** Work that failed because no node of the chain gave a usable answer, for metrics. */
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
