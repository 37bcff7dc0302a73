/**
 * What an account is requested to sign, parsed from the parameters of a wallet's RPC method: once when the request is created, and
 * again from the stored parameters when it is confirmed.
 */
import { base58, base64 } from '@scure/base';
import {
  type Address,
  getAddress,
  type Hex,
  hexToBytes,
  isAddress,
  isAddressEqual,
  isHex,
  type TypedDataDefinition,
} from 'viem';
import { z } from 'zod';
import type { AccountName } from '../../chains/account-id.ts';
import { type FieldFault, invalid } from '../../errors.ts';
import { readTypedData } from './read-typed-data.ts';

export type EvmTransaction = { from: Address; to: Address | null; value: bigint; data: Hex };

export type WantedSignature =
  | { kind: 'message'; message: Uint8Array }
  | { kind: 'typedData'; typedData: TypedDataDefinition; chainId: bigint | null }
  | { kind: 'evmTransaction'; transaction: EvmTransaction }
  | { kind: 'solanaTransaction'; transaction: Uint8Array };

const DATA_LIMIT_BYTES = 32_768;
const SOLANA_PACKET_BYTES = 1232;

/** Throws VALIDATION_ERROR that names the parameter. `method` is an enabled method of the account's namespace. */
export function readWantedSignature(request: {
  method: string;
  params: unknown;
  account: AccountName;
}): WantedSignature {
  const { method, params, account } = request;
  switch (method) {
    case 'personal_sign':
      return personalSign(params, account);
    case 'eth_signTypedData_v4':
      return typedData(params, account);
    case 'eth_sendTransaction':
      return evmTransaction(params, account);
    case 'solana_signMessage':
      return { kind: 'message', message: solanaMessage(params, account) };
    case 'solana_signTransaction':
      return { kind: 'solanaTransaction', transaction: solanaTransaction(params) };
    case 'sui_signPersonalMessage':
      return { kind: 'message', message: suiMessage(params, account) };
    default:
      throw fault('method', 'is not one of onetime-connect/methods');
  }
}

function personalSign(params: unknown, account: AccountName): WantedSignature {
  const [message, address] = pairOf(params, '[message, address]');
  if (typeof message !== 'string') throw fault('params[0]', 'the message, as text or as 0x and hex digits');
  requireOwn(address, account, 'params[1]');
  const bytes = isHex(message) && message.length % 2 === 0 ? hexToBytes(message) : new TextEncoder().encode(message);
  if (bytes.length === 0) throw fault('params[0]', 'an empty message says nothing');
  return { kind: 'message', message: bytes };
}

function typedData(params: unknown, account: AccountName): WantedSignature {
  const [address, given] = pairOf(params, '[address, typed data]');
  requireOwn(address, account, 'params[0]');
  return { kind: 'typedData', ...readTypedData(given, { chainId: account.chainId }) };
}

const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);
/** Strict: an unknown field, such as a delegation of the account (EIP-7702), could have effects that the user is not shown. */
const transactionSchema = z.strictObject({
  from: z.string(),
  to: z.string().nullish(),
  value: quantity.optional(),
  data: z.string().optional(),
  input: z.string().optional(),
  chainId: z.union([quantity, z.int().nonnegative()]).optional(),
  type: z.enum(['0x0', '0x1', '0x2']).optional(),
  nonce: quantity.optional(),
  gas: quantity.optional(),
  gasLimit: quantity.optional(),
  gasPrice: quantity.optional(),
  maxFeePerGas: quantity.optional(),
  maxPriorityFeePerGas: quantity.optional(),
  accessList: z.array(z.unknown()).optional(),
});

function evmTransaction(params: unknown, account: AccountName): WantedSignature {
  const parsed = transactionSchema.safeParse(Array.isArray(params) ? params[0] : undefined);
  if (!parsed.success || (Array.isArray(params) && params.length > 1)) {
    throw fault('params', '[{from, to, value, data}] and fees, of type 0 to 2, amounts as 0x and hex digits');
  }
  const { from, to, value, chainId } = parsed.data;
  requireOwn(from, account, 'params[0].from');
  if (chainId !== undefined && BigInt(chainId) !== BigInt(account.chainId)) {
    throw fault('params[0].chainId', `is not the chain ${account.chainId} of the request`);
  }
  if (to !== undefined && to !== null && !isAddress(to, { strict: false })) throw fault('params[0].to', 'an address');
  const data = callData(parsed.data);
  if ((to ?? null) === null && data === '0x') throw fault('params[0].to', 'an address, or data that makes a contract');
  const receiver = to === undefined || to === null ? null : getAddress(to);
  return {
    kind: 'evmTransaction',
    transaction: { from: getAddress(from), to: receiver, value: BigInt(value ?? '0x0'), data },
  };
}

/** Wallets differ in which of the two names they prefer; if both are given, they must be equal. */
function callData(given: { data?: string | undefined; input?: string | undefined }): Hex {
  const data = given.data ?? given.input ?? '0x';
  if (given.data !== undefined && given.input !== undefined && given.data !== given.input) {
    throw fault('params[0].input', 'differs from data');
  }
  if (!isHex(data) || data.length % 2 !== 0) throw fault('params[0].data', '0x and pairs of hex digits');
  if (data.length / 2 > DATA_LIMIT_BYTES) throw fault('params[0].data', `at most ${DATA_LIMIT_BYTES} bytes`);
  return data;
}

function solanaMessage(params: unknown, account: AccountName): Uint8Array {
  const pubkey = fieldOf(params, 'pubkey', true);
  if (pubkey !== undefined && pubkey !== account.address) throw fault('params.pubkey', 'is not the account');
  const message = fieldOf(params, 'message');
  if (typeof message !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{1,20000}$/.test(message)) {
    throw fault('params.message', 'the message, in base58');
  }
  return base58.decode(message);
}

function solanaTransaction(params: unknown): Uint8Array {
  const bytes = bytesOf(fieldOf(params, 'transaction'), 'params.transaction');
  if (bytes.length <= SOLANA_PACKET_BYTES) return bytes;
  throw fault('params.transaction', `at most ${SOLANA_PACKET_BYTES} bytes: no longer one could be sent`);
}

function suiMessage(params: unknown, account: AccountName): Uint8Array {
  for (const name of ['account', 'address']) {
    const given = fieldOf(params, name, true);
    if (given !== undefined && String(given).toLowerCase() !== account.address)
      throw fault(`params.${name}`, 'is not the account');
  }
  return bytesOf(fieldOf(params, 'message'), 'params.message');
}

function bytesOf(value: unknown, param: string): Uint8Array {
  try {
    const bytes = typeof value === 'string' ? base64.decode(value) : new Uint8Array();
    if (bytes.length > 0 && bytes.length <= DATA_LIMIT_BYTES) return bytes;
  } catch {
    // The error below covers this.
  }
  throw fault(param, `1 to ${DATA_LIMIT_BYTES} bytes, in base64`);
}

function pairOf(params: unknown, words: string): [unknown, unknown] {
  if (!Array.isArray(params) || params.length !== 2) throw fault('params', words);
  return [params[0], params[1]];
}

function fieldOf(params: unknown, name: string, isOptional = false): unknown {
  const holder = Array.isArray(params) && params.length === 1 ? params[0] : params;
  const value =
    typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
      ? Reflect.get(holder, name)
      : undefined;
  if (value === undefined && !isOptional) throw fault(`params.${name}`, 'is required');
  return value;
}

function requireOwn(address: unknown, account: AccountName, param: string): void {
  const isOwn =
    typeof address === 'string' &&
    isAddress(address, { strict: false }) &&
    isAddress(account.address) &&
    isAddressEqual(address, account.address);
  if (!isOwn) throw fault(param, 'is not the account of the request');
}

function fault(param: string, message: string): Error {
  return invalid([{ param, message } satisfies FieldFault]);
}
