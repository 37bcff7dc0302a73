/**
 * What a node may answer instead of a result, for the nodes of every family, and what follows from it. Which answer an
 * error is, is decided once, where the request is made: `evm/classify-answer.ts` and `solana/classify-answer.ts`.
 */

type Treatment = {
  /** The node failed, and not what was asked of it: counted as an error of the provider. */
  isFault: boolean;
  /** Without another node that answers better, the chain is unavailable to the caller (502, retryable). */
  isUnavailable: boolean;
  /** Where a chain has several nodes, this one is left alone for a while. */
  setsAside: boolean;
  /** The only node of a chain is asked again at once. */
  isRepeated: boolean;
};

const broken = { isFault: true, isUnavailable: true, setsAside: true, isRepeated: true };
const unable = { isFault: true, isUnavailable: true, setsAside: false, isRepeated: false };
const answered = { isFault: false, isUnavailable: false, setsAside: false, isRepeated: false };

export const nodeAnswers = {
  /** Nothing came within the time. */
  timeout: { ...broken, isRepeated: false },
  /** No connection, or it broke. */
  unreachable: broken,
  /** HTTP 429, or a JSON-RPC error that says the same. */
  rate_limited: broken,
  /** Any other status than 2xx. */
  http: broken,
  /** No JSON-RPC answer, or a result of another shape than the method has. */
  garbage: broken,
  /** The node is one of another chain. */
  wrong_chain: { ...broken, isRepeated: false },
  /** A block or state that must be there is not: the node is behind, has pruned it, or changed forks between two requests. */
  missing: { ...unable, isRepeated: true },
  /** A JSON-RPC error of the node itself, or one that nobody knows. */
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

/** A request that got no usable answer. The message never holds the node's URL. */
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

/** What a NodeFault among the error's causes says; null where there is none. */
export function faultOf(error: unknown): NodeAnswer | null {
  const fault = causesOf(error).find((cause) => cause instanceof NodeFault);
  return fault instanceof NodeFault ? fault.answer : null;
}
