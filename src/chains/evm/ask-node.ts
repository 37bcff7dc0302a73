import { RpcRequestError } from 'viem';
import { z } from 'zod';
import { NodeFault, nodeAnswers, statusFault } from '../node-answer.ts';
import { postRpc } from '../post-rpc.ts';
import { classifyRpcError } from './classify-answer.ts';
import { classifyResult, type Question } from './result-shapes.ts';

const answerShape = z.union([
  z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.looseObject({ error: z.null().optional(), result: z.unknown() }),
]);

let lastId = 0;

/**
 * Sends one JSON-RPC request to one node of an EVM chain and returns its result, checked against the method's shape.
 * Rejects with a NodeFault if the node failed, and with viem's RpcRequestError if the node rejected the request itself.
 */
export async function askNode(url: string, question: Question, signal?: AbortSignal): Promise<unknown> {
  const { method, params = [] } = question;
  lastId += 1;
  const body = { jsonrpc: '2.0', id: lastId, method, params };
  const { status, text } = await postRpc(url, JSON.stringify(body), signal);
  const isGood = status >= 200 && status < 300;
  if (status === 429 || status >= 500) throw statusFault(status);
  const answer = answerShape.safeParse(parsed(text));
  if (!answer.success) {
    throw isGood
      ? new NodeFault('garbage', 'The node answered with something other than JSON-RPC.')
      : statusFault(status);
  }
  if (answer.data.error) {
    const { code, message, data } = answer.data.error;
    const meaning = classifyRpcError({ code, message, data });
    if (nodeAnswers[meaning].isFault)
      throw new NodeFault(meaning, `The node answered ${method} with error ${code}: ${message}`);
    throw new RpcRequestError({ body, error: { code, message, data }, url: new URL(url).host });
  }
  if (!isGood) throw statusFault(status);
  const verdict = classifyResult(question, answer.data.result);
  if (verdict === 'good') return answer.data.result;
  throw new NodeFault(
    verdict,
    verdict === 'missing' ? `The node has nothing for ${method}.` : `The node answered ${method} with another shape.`,
  );
}

/** Throws a NodeFault if the node serves another chain or does not return its chain id. */
export async function requireChain(url: string, chainId: number, signal?: AbortSignal): Promise<void> {
  const answer = await askNode(url, { method: 'eth_chainId' }, signal);
  if (Number(answer) === chainId) return;
  throw new NodeFault('wrong_chain', `The node serves chain ${Number(answer)} instead of chain ${chainId}.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
