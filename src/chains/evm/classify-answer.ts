/**
 * Classifies the errors of EVM nodes. Nodes use different messages and codes for the same condition. The first matching row decides, and
 * an error that matches none is the node's own (`rpc`). No other file interprets codes or messages.
 */
import { BlockNotFoundError, type Hex, RpcRequestError } from 'viem';
import { causesOf, faultOf, type NodeAnswer, nodeAnswers } from '../node-answer.ts';

type RpcError = { code: number; message: string; data?: unknown };

type Row = { answer: NodeAnswer; codes?: readonly number[]; words?: RegExp; withData?: true };

const rows: readonly Row[] = [
  // A contract may revert with any message, so reverts are recognized first.
  { answer: 'reverted', codes: [3], withData: true },
  { answer: 'reverted', words: /\brevert(ed)?\b|vm exception|vm execution/i },
  { answer: 'already_known', words: /already known|already imported|known transaction|already in (the )?(mem)?pool/i },
  {
    answer: 'nonce_used',
    words: /nonce too low|nonce is too low|lower than the current nonce|old nonce|invalid nonce/i,
  },
  {
    answer: 'underpriced',
    words: /underpriced|less than block base fee|fee too low|fee cap|below (the )?base fee|max fee per gas/i,
  },
  { answer: 'no_funds', words: /insufficient funds|insufficient balance|exceeds the balance/i },
  {
    answer: 'reverted',
    words: /out of gas|gas required exceeds|invalid opcode|OutOfGas|stack underflow|invalid jump/i,
  },
  { answer: 'rate_limited', codes: [429, -32005, -32007, -32029, -32097] },
  {
    answer: 'rate_limited',
    words: /rate.?limit|too many requests|request limit|compute units|capacity exceeded|throughput|quota|credits/i,
  },
  {
    answer: 'missing',
    words:
      /(block|header|state|trie node|blockhash)\b.{0,40}\b(not found|not available|unavailable|missing|is not|unknown)|missing trie node|unknown block|hash .{0,80}is not currently canonical|pruned|block is out of range|after last accepted block/i,
  },
  { answer: 'missing', codes: [-39001, -32001] },
  { answer: 'unsupported', codes: [-32600, -32601, -32602, -32004, 4200] },
];

/** The meaning of a JSON-RPC error. */
export function classifyRpcError({ code, message, data }: RpcError): NodeAnswer {
  const found = rows.find(
    (row) =>
      (row.codes?.includes(code) ?? false) ||
      (row.words?.test(message) ?? false) ||
      (row.withData === true && revertDataOf(data) !== null),
  );
  return found?.answer ?? 'rpc';
}

/** Classifies the error of a request or of one of the library's actions. Returns null for any other error. */
export function nodeAnswerOf(error: unknown): NodeAnswer | null {
  const fault = faultOf(error);
  if (fault !== null) return fault;
  for (const cause of causesOf(error)) {
    if (cause instanceof RpcRequestError) {
      return classifyRpcError({ code: cause.code, message: cause.details, data: cause.data });
    }
    if (cause instanceof BlockNotFoundError) return 'missing';
  }
  return null;
}

/** Whether the node failed, rather than the request. */
export function isNodeFault(error: unknown): boolean {
  const answer = nodeAnswerOf(error);
  return answer !== null && nodeAnswers[answer].isFault;
}

/** Names of the library's errors for responses that cannot be read. */
const UNREADABLE = /^(AbiDecoding|ContractFunctionZeroData|InvalidBytes|PositionOutOfBounds|SliceOffset)/;

/**
 * For an error that ended work with a node, returns why the chain is unavailable to the caller. Null if the node did respond.
 */
export function unavailableBy(error: unknown): NodeAnswer | null {
  const answer = nodeAnswerOf(error);
  if (answer !== null) return nodeAnswers[answer].isUnavailable ? answer : null;
  const isUnreadable = causesOf(error).some((cause) => cause instanceof Error && UNREADABLE.test(cause.name));
  return isUnreadable ? 'garbage' : null;
}

type CallFault = { kind: 'REVERT'; data: Hex | null; message: string } | { kind: 'NO_FUNDS' };

/**
 * Returns the meaning of an error from a call or an estimate. Null if the node itself failed. For a revert without data, `message` is the
 * node's message.
 */
export function callFault(error: unknown): CallFault | null {
  const answer = nodeAnswerOf(error);
  if (answer === 'no_funds') return { kind: 'NO_FUNDS' };
  if (answer !== 'reverted') return null;
  const refusal = causesOf(error).find((cause) => cause instanceof RpcRequestError);
  const data = refusal instanceof RpcRequestError ? revertDataOf(refusal.data) : null;
  const words = refusal instanceof RpcRequestError ? refusal.details : 'execution reverted';
  const ranOut = !/revert/i.test(words);
  const message = ranOut ? 'Ran out of gas or into an invalid operation' : 'Reverted without a reason';
  const nodeMessage = wordsOfNode(words);
  return { kind: 'REVERT', data, message: nodeMessage === '' ? message : `${message}; the node says: ${nodeMessage}` };
}

const LONGEST_WORDS = 200;

/**
 * Returns the details of a node's message on one line, or an empty string if it has none. URLs are removed, because those of nodes
 * contain keys.
 */
function wordsOfNode(details: string): string {
  const line = details
    .replace(/\b\w+:\/\/\S+/g, '(a URL)')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, ' ')
    .trim();
  if (/^(execution reverted|vm execution error\.?|out of ?gas)$/i.test(line)) return '';
  return line.length <= LONGEST_WORDS ? line : `${line.slice(0, LONGEST_WORDS - 1)}…`;
}

/** At least a selector. Some nodes wrap it in an object, others in the word Reverted. */
function revertDataOf(data: unknown): Hex | null {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  const found = typeof inner === 'string' ? /^(?:Reverted )?(0x[0-9a-fA-F]{8,})$/.exec(inner)?.[1] : undefined;
  return found === undefined ? null : `0x${found.slice(2)}`;
}
