import { z } from 'zod';
import type { NodeConnection } from './ask-node.ts';
import type { NodeCall } from './chain-journal.ts';

/** How a transaction was sent to the node: signed, or on behalf of an account, which may be impersonated. */
export type SentTransaction = { raw: string } | { impersonated: boolean };

const fieldsShape = z.object({
  from: z.string(),
  to: z.string().nullish(),
  value: z.string(),
  input: z.string(),
  nonce: z.string(),
  gas: z.string(),
  type: z.string(),
  gasPrice: z.string().nullish(),
  maxFeePerGas: z.string().nullish(),
  maxPriorityFeePerGas: z.string().nullish(),
  accessList: z.unknown(),
});

/** `impersonated` contains addresses in lower case, and "everybody" while the node impersonates any sender. */
export function sentTransaction(call: NodeCall, impersonated: ReadonlySet<string>): SentTransaction {
  const [first] = call.params;
  if (call.method === 'eth_sendRawTransaction' && typeof first === 'string') return { raw: first };
  const { from } = z
    .looseObject({ from: z.string().default('') })
    .catch({ from: '' })
    .parse(first);
  return { impersonated: impersonated.has(from.toLowerCase()) || impersonated.has('everybody') };
}

/** Returns the call that sends a mined transaction again with identical fields. */
export async function repeatSend(
  node: NodeConnection,
  { hash, sent }: { hash: string; sent: SentTransaction | undefined },
): Promise<NodeCall> {
  if (sent && 'raw' in sent) return { method: 'eth_sendRawTransaction', params: [sent.raw] };
  if (!sent?.impersonated) {
    return { method: 'eth_sendRawTransaction', params: [await node.result('eth_getRawTransactionByHash', [hash])] };
  }
  const fields = fieldsShape.parse(await node.result('eth_getTransactionByHash', [hash]));
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...rest } = fields;
  const fees = maxFeePerGas ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice };
  return { method: 'eth_sendTransaction', params: [{ ...rest, ...fees }] };
}
