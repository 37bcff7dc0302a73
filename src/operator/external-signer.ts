/**
 * A key that is held elsewhere: by a key service, a hardware module, or a small program in front of one. It is called over HTTP, and
 * only to sign 32-byte digests, which is what such services offer.
 *
 * ```
 * GET  <url>                              → 200 {"address": "0x…"}
 * POST <url>  {"digest": "0x… 32 bytes"}  → 200 {"signature": "0x…"}   r and s, 64 bytes; a 65th byte is ignored
 * ```
 *
 * Both carry `Authorization: Bearer <token>` if there is a token. Responses are not trusted: a signature is accepted only if it is the
 * address's own for that digest.
 */
import {
  type Address,
  getAddress,
  type Hex,
  hashTypedData,
  isAddressEqual,
  keccak256,
  numberToHex,
  recoverAddress,
  type Signature,
  serializeSignature,
  serializeTransaction,
} from 'viem';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { GatewayError } from '../errors.ts';
import type { OperatorSigner } from './operator-signer.ts';

type Settings = { url: string; token?: string | undefined };

const ANSWER_LIMIT_MS = 10_000;
const ANSWER_LIMIT_BYTES = 4096;
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const addressAnswer = z.object({ address: z.string().regex(/^0x[0-9a-fA-F]{40}$/) });
const signatureAnswer = z.object({ signature: z.string().regex(/^0x([0-9a-fA-F]{2}){64,65}$/) });

/**
 * Requests the signer's address once. Throws ConfigError if the signer does not respond. Signing throws CHAIN_UNAVAILABLE if the signer
 * fails, responds after more than 10 s, or signs with another key.
 */
export async function openExternalSigner(settings: Settings): Promise<OperatorSigner> {
  const address = await readAddress(settings);
  const sign = (digest: Hex) => signDigest(settings, { address, digest });
  return {
    address,
    signTypedData: async (typed) => serializeSignature(await sign(hashTypedData(typed))),
    signTransaction: async (transaction) =>
      serializeTransaction(transaction, await sign(keccak256(serializeTransaction(transaction)))),
  };
}

async function readAddress(settings: Settings): Promise<Address> {
  try {
    return getAddress(addressAnswer.parse(await ask(settings, { method: 'GET' })).address);
  } catch (cause) {
    throw new ConfigError('OPERATOR_SIGNER_URL: the signer does not return its address', { cause });
  }
}

async function signDigest(
  settings: Settings,
  { address, digest }: { address: Address; digest: Hex },
): Promise<Signature> {
  let signature: string;
  try {
    const request = { method: 'POST', body: JSON.stringify({ digest }) };
    signature = signatureAnswer.parse(await ask(settings, request)).signature;
  } catch (cause) {
    throw new GatewayError('CHAIN_UNAVAILABLE', "The operator's signer returned an unexpected response.", { cause });
  }
  const found = await ownSignature({ address, digest }, signature);
  if (found) return found;
  throw new GatewayError('CHAIN_UNAVAILABLE', `The operator's signer used a key other than ${address}.`);
}

/** Key services return no recovery bit and may return the larger s, which nodes and contracts refuse. */
async function ownSignature(
  { address, digest }: { address: Address; digest: Hex },
  signature: string,
): Promise<Signature | null> {
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const given = BigInt(`0x${signature.slice(66, 130)}`);
  const s = numberToHex(given > CURVE_ORDER / 2n ? CURVE_ORDER - given : given, { size: 32 });
  for (const yParity of [0, 1]) {
    const signer = await recoverAddress({ hash: digest, signature: { r, s, yParity } }).catch(() => null);
    if (signer && isAddressEqual(signer, address)) return { r, s, yParity };
  }
  return null;
}

async function ask({ url, token }: Settings, request: { method: string; body?: string }): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(url, { ...request, headers, signal, redirect: 'error' });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The signer responded with ${response.status}.`);
  if (text.length > ANSWER_LIMIT_BYTES)
    throw new Error(`The signer's response is longer than ${ANSWER_LIMIT_BYTES} bytes.`);
  return JSON.parse(text);
}
