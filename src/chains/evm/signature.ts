/** A signature over a 32-byte digest: made by a key (65 bytes r, s, v) or judged by an account's contract (ERC-1271). */
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

/** The form that contracts take of a key's signature: 65 bytes with v 27 or 28. Anything else stays as it is. */
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
    // No key makes such numbers; a contract may still take the bytes.
    return compact;
  }
}

/** Whether `signature`, in its canonical form, was made by the key of `signer`. Asks nobody. */
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

/** Whether a contract would accept it: the key's own, else by ERC-1271 of an account that is deployed. */
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

/** Whether the account stands behind it at all: its key, ERC-1271, or ERC-6492 of an account not deployed yet. */
export async function isSignedByAccount(
  world: { client: EvmClient },
  request: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  if (!isErc6492Signature(request.signature)) return await isSignedOnChain(world, request);
  const { client, faults } = watched(world.client);
  const isSigned = await client
    .verifyHash({ address: request.signer, hash: request.digest, signature: request.signature })
    // The wrapping cannot be read, or its calls fail: whoever signed, it was not this account.
    .catch(() => false);
  if (!isSigned && faults.length > 0) throw faults[0];
  return isSigned;
}

/** The library takes a call that the node failed at for a signature that is wrong: what failed is kept beside. */
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
