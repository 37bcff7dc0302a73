/** Parses the parameters of RPC calls. Invalid parameters are reported as -32602, as nodes do. */
import { base58 } from '@scure/base';
import { z } from 'zod';
import { RpcError } from './rpc-error.ts';

export const pubkey = z.string().refine((text) => isKey(text), 'Invalid param: Invalid');
export const commitment = z.enum(['processed', 'confirmed', 'finalized']).default('finalized');
export const config = z.object({ commitment }).prefault({});
const accountEncoding = z.enum(['base58', 'base64', 'jsonParsed']).default('base64');
const dataSlice = z.object({ offset: z.int().min(0), length: z.int().min(0) }).optional();
export const accountConfig = z.object({ commitment, encoding: accountEncoding, dataSlice }).prefault({});
const version = z.int().min(0).optional();
const encoding = z.enum(['json', 'jsonParsed', 'base64', 'base58']).default('json');

export const transactionConfig = z
  .union([
    z.object({ commitment, encoding, maxSupportedTransactionVersion: version }),
    encoding.transform((text) => ({
      commitment: 'finalized' as const,
      encoding: text,
      maxSupportedTransactionVersion: undefined,
    })),
  ])
  .prefault({});

export const blockConfig = z
  .object({
    commitment,
    encoding,
    maxSupportedTransactionVersion: version,
    transactionDetails: z.enum(['full', 'accounts', 'signatures', 'none']).default('full'),
  })
  .prefault({});

export const sendConfig = z
  .object({
    encoding: z.enum(['base58', 'base64']).default('base58'),
    skipPreflight: z.boolean().default(false),
    preflightCommitment: commitment,
  })
  .prefault({});

export const simulateConfig = z
  .object({
    encoding: z.enum(['base58', 'base64']).default('base58'),
    sigVerify: z.boolean().default(false),
    replaceRecentBlockhash: z.boolean().default(false),
    accounts: z.object({ addresses: z.array(pubkey), encoding: accountEncoding }).optional(),
  })
  .prefault({});

export const signaturesConfig = z
  .object({
    commitment,
    before: z.string().nullish(),
    until: z.string().nullish(),
    limit: z.int().min(1).max(1000).default(1000),
  })
  .prefault({});

export const tokenFilter = z.union([z.object({ mint: pubkey }), z.object({ programId: pubkey })]);

/** Missing trailing parameters count as undefined. Extra parameters are ignored. */
export function parseParams<Output extends [unknown, ...unknown[]] | []>(
  schema: z.ZodType<Output>,
  params: readonly unknown[],
  length: number,
): Output {
  const parsed = schema.safeParse(Array.from({ length }, (_, index) => params[index] ?? undefined));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RpcError(-32602, `Invalid params: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`);
}

export function decodeBytes(text: string, form: 'base58' | 'base64'): Uint8Array {
  try {
    return form === 'base58' ? base58.decode(text) : Uint8Array.from(Buffer.from(text, 'base64'));
  } catch {
    throw new RpcError(-32602, `invalid ${form} encoding`);
  }
}

function isKey(text: string): boolean {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
