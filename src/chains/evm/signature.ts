/** A signature over a 32-byte digest: made by a key (65 bytes r, s, v) or verified by an account's contract (ERC-1271). */
import {
  type Address,
  compactSignatureToSignature,
  concat,
  createPublicClient,
  custom,
  type Hex,
  isAddressEqual,
  isErc6492Signature,
  parseCompactSignature,
  recoverAddress,
  serializeSignature,
  size,
  slice,
} from 'viem';
import { isNodeFault } from './classify-answer.ts';
import type { EvmClient } from './nodes.ts';

/** secp256k1's order, halved: contracts refuse the upper half of s, which would be a second form of each signature. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Returns the form of a key's signature that contracts accept: 65 bytes with v 27 or 28. Any other signature is returned unchanged. */
export function canonicalSignature(signature: Hex): Hex {
  if (size(signature) === 64) return expanded(signature);
  if (size(signature) !== 65) return signature;
  const v = Number(slice(signature, 64, 65));
  return v > 1 ? signature : concat([slice(signature, 0, 64), v === 0 ? '0x1b' : '0x1c']);
}

function expanded(compact: Hex): Hex {
  try {
    return serializeSignature(compactSignatureToSignature(parseCompactSignature(compact)));
  } catch {
    // No key produces such numbers, but a contract may still accept the bytes.
    return compact;
  }
}

/** Whether `signature`, in its canonical form, was made by the key of `signer`. Makes no request. */
export async function isSignedByKey(request: { signer: Address; digest: Hex; signature: Hex }): Promise<boolean> {
  if (size(request.signature) !== 65 || BigInt(slice(request.signature, 32, 64)) > HALF_ORDER) return false;
  try {
    const recovered = await recoverAddress({ hash: request.digest, signature: request.signature });
    return isAddressEqual(recovered, request.signer);
  } catch {
    return false;
  }
}

const erc1271Abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'bytes4' }],
  },
] as const;
const ERC1271_VALID = '0x1626ba7e';

/** Whether a contract would accept it: a signature of the key itself, or one that a deployed account accepts by ERC-1271. */
export async function isSignedOnChain(
  world: { client: EvmClient },
  request: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  if (await isSignedByKey(request)) return true;
  if (isErc6492Signature(request.signature)) return false;
  const code = await world.client.getCode({ address: request.signer });
  if (code === undefined || code === '0x') return false;
  const answer = await world.client
    .readContract({
      address: request.signer,
      abi: erc1271Abi,
      functionName: 'isValidSignature',
      args: [request.digest, request.signature],
    })
    .catch((error: unknown) => {
      if (isNodeFault(error)) throw error;
      return null;
    });
  return answer === ERC1271_VALID;
}

/** Whether the signature is valid for the account: by its key, by ERC-1271, or by ERC-6492 for an account that is not deployed yet. */
export async function isSignedByAccount(
  world: { client: EvmClient },
  request: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  if (!isErc6492Signature(request.signature)) return await isSignedOnChain(world, request);
  const { client, faults } = watched(world.client);
  const isSigned = await client
    .verifyHash({ address: request.signer, hash: request.digest, signature: request.signature })
    // The wrapper cannot be read or its calls fail, so the signature is not this account's.
    .catch(() => false);
  if (!isSigned && faults.length > 0) throw faults[0];
  return isSigned;
}

/** The library treats a failed call as an invalid signature, so the node's error is kept separately. */
function watched(client: EvmClient): { client: EvmClient; faults: unknown[] } {
  const faults: unknown[] = [];
  const request = async (question: Parameters<typeof client.request>[0]) => {
    try {
      return await client.request(question);
    } catch (error) {
      if (isNodeFault(error)) faults.push(error);
      throw error;
    }
  };
  const transport = custom({ request }, { retryCount: 0 });
  return { client: createPublicClient({ chain: client.chain, transport }), faults };
}
