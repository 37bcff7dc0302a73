/**
 * What a node may return instead of a result, for nodes of every family, and the consequences. An error is classified once, where the
 * request is made: `evm/classify-answer.ts` and `solana/classify-answer.ts`.
 */

type Treatment = {
  /** The node failed, rather than the request. Counted as an error of the provider. */
  isFault: boolean;
  /** Unless another node gives a result, the chain is unavailable to the caller (502, retryable). */
  isUnavailable: boolean;
  /** If a chain has several nodes, this one is not used for some time. */
  setsAside: boolean;
  /** The only node of a chain is called again at once. */
  isRepeated: boolean;
};

const broken = { isFault: true, isUnavailable: true, setsAside: true, isRepeated: true };
const unable = { isFault: true, isUnavailable: true, setsAside: false, isRepeated: false };
const answered = { isFault: false, isUnavailable: false, setsAside: false, isRepeated: false };

export const nodeAnswers = {
  /** No response arrived in time. */
  timeout: { ...broken, isRepeated: false },
  /** There was no connection, or it was lost. */
  unreachable: broken,
  /** HTTP 429, or a JSON-RPC error with the same meaning. */
  rate_limited: broken,
  /** Any other status than 2xx. */
  http: broken,
  /** The response is not JSON-RPC, or the result does not have the method's shape. */
  garbage: broken,
  /** The node serves another chain. */
  wrong_chain: { ...broken, isRepeated: false },
  /** A block or state that must exist is missing: the node is behind, has pruned it, or changed forks between two requests. */
  missing: { ...unable, isRepeated: true },
  /** A JSON-RPC error of the node itself, or an unknown one. */
  rpc: unable,
  /** The node does not know the method or its parameters, such as a block tag. */
  unsupported: { ...answered, isUnavailable: true },
  /** The call fails in the contract, or uses up its gas. */
  reverted: answered,
  /** The account cannot pay for the transaction. */
  no_funds: answered,
  /** The transaction was sent before. */
  already_known: answered,
  /** The nonce was used by a transaction in a block. */
  nonce_used: answered,
  /** The fees are too low, or not high enough above those of the transaction that is to be replaced. */
  underpriced: answered,
} as const satisfies Record<string, Treatment>;

export type NodeAnswer = keyof typeof nodeAnswers;

/** A request without a usable response. The message never contains the node's URL. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly answer: NodeAnswer;

  constructor(answer: NodeAnswer, message: string, cause?: unknown) {
    super(message, { cause });
    this.answer = answer;
  }
}

/** The meaning of a status that is not 2xx. */
export function statusFault(status: number): NodeFault {
  return new NodeFault(status === 429 ? 'rate_limited' : 'http', `The node answered with HTTP status ${status}.`);
}

const CAUSES_LIMIT = 16;

/** The error and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < CAUSES_LIMIT; ) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** Returns the answer of a NodeFault among the error's causes, or null if there is none. */
export function faultOf(error: unknown): NodeAnswer | null {
  const fault = causesOf(error).find((cause) => cause instanceof NodeFault);
  return fault instanceof NodeFault ? fault.answer : null;
}
