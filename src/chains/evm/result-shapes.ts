/** The expected shape of results by method. A response of another shape is not a result. */
import { z } from 'zod';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]);
const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);
const bytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const block = z.looseObject({ number: quantity, hash, timestamp: quantity, transactions: z.array(z.unknown()) });
const transaction = z.looseObject({
  hash,
  from: address,
  to: address.nullish(),
  nonce: quantity,
  value: quantity,
  input: bytes,
  blockHash: hash.nullish(),
});
const receipt = z.looseObject({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity.nullish(),
  l1Fee: quantity.nullish(),
  status: z.enum(['0x0', '0x1']),
});

export const logShape = z.object({
  address: hex,
  topics: z.array(hex).max(4),
  data: hex,
  blockNumber: hex,
  blockHash: hex,
  blockTimestamp: hex.nullish(),
  transactionHash: hex,
  logIndex: hex,
});

const shapes: Record<string, z.ZodType> = {
  eth_chainId: quantity,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_estimateGas: quantity,
  eth_gasPrice: quantity,
  eth_maxPriorityFeePerGas: quantity,
  eth_call: bytes,
  eth_getCode: bytes,
  eth_getStorageAt: bytes,
  eth_sendRawTransaction: hash,
  eth_getBlockByNumber: block,
  eth_getBlockByHash: block,
  eth_getTransactionByHash: transaction,
  eth_getTransactionReceipt: receipt,
  eth_getLogs: z.array(logShape),
};

/** Methods for which `null` means that there is no such object, unless `latest` was requested, which always exists. */
const NULLABLE = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
]);

export type Question = { method: string; params?: unknown };

/** `missing` is a null where the method always has a result. The result of an unknown method may have any shape. */
export function classifyResult({ method, params }: Question, result: unknown): 'good' | 'missing' | 'garbage' {
  const shape = shapes[method];
  if (!shape) return result === undefined ? 'garbage' : 'good';
  const asked = Array.isArray(params) ? params[0] : undefined;
  if (result === null) return NULLABLE.has(method) && asked !== 'latest' ? 'good' : 'missing';
  const parsed = shape.safeParse(result);
  if (!parsed.success) return 'garbage';
  return isOtherBlock({ method, asked }, result) ? 'garbage' : 'good';
}

/** A block with another number than the requested one. */
function isOtherBlock({ method, asked }: { method: string; asked: unknown }, result: unknown): boolean {
  if (method !== 'eth_getBlockByNumber' || !quantity.safeParse(asked).success) return false;
  const { number } = block.parse(result);
  return typeof asked === 'string' && BigInt(number) !== BigInt(asked);
}
