/** Classifies the errors of Solana nodes. The error of an invalid request remains the library's. */
import { z } from 'zod';
import { GatewayError } from '../../errors.ts';
import { faultOf, type NodeAnswer, NodeFault, nodeAnswers, statusFault } from '../node-answer.ts';

const answers: ReadonlyMap<number, NodeAnswer> = new Map([
  [429, 'rate_limited'],
  [-32429, 'rate_limited'],
  [-32007, 'missing'],
  // A block that this node does not have (yet), a node that is behind, or history that was never stored.
  [-32004, 'missing'],
  [-32005, 'missing'],
  [-32011, 'missing'],
  [-32014, 'missing'],
  [-32016, 'missing'],
  [-32603, 'rpc'],
  [-32601, 'unsupported'],
]);
const LIMITED = /rate.?limit|too many requests|request limit|quota/i;

const errorShape = z.looseObject({ code: z.number(), message: z.string() });
const answerShape = z.union([
  z.looseObject({ error: errorShape }),
  z.looseObject({ jsonrpc: z.literal('2.0'), result: z.unknown() }),
]);
const bodyShape = z.union([answerShape, z.array(answerShape)]);

/** Returns the meaning of a JSON-RPC error, or null if the request is at fault. */
function classifySolanaError({ code, message }: { code: number; message: string }): NodeAnswer | null {
  return answers.get(code) ?? (LIMITED.test(message) ? 'rate_limited' : null);
}

/** Throws a NodeFault for an error that another node may not have. */
export function requireAnswer({ status, text }: { status: number; text: string }): string {
  if (status < 200 || status >= 300) throw statusFault(status);
  const body = bodyShape.safeParse(parsed(text));
  if (!body.success) throw new NodeFault('garbage', 'The node answered with something other than JSON-RPC.');
  for (const answer of [body.data].flat()) {
    const error = errorShape.safeParse(answer.error);
    const meaning = error.success ? classifySolanaError(error.data) : null;
    if (meaning !== null && nodeAnswers[meaning].isFault) {
      throw new NodeFault(meaning, `The node answered with error ${error.data?.code}: ${error.data?.message}`);
    }
  }
  return text;
}

/** Returns why the chain is unavailable to the caller, or null if the node responded. */
export function solanaUnavailableBy(error: unknown): NodeAnswer | null {
  if (!(error instanceof Error) || error instanceof GatewayError) return null;
  const fault = faultOf(error);
  if (fault !== null) return fault;
  // The library could not read the result.
  if (error.name === 'StructError' || error instanceof SyntaxError) return 'garbage';
  const code = 'code' in error && typeof error.code === 'number' ? error.code : null;
  const meaning = code === null ? null : classifySolanaError({ code, message: error.message });
  return meaning !== null && nodeAnswers[meaning].isUnavailable ? meaning : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
