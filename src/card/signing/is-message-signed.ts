import { base58 } from '@scure/base';
import { type Hex, hashMessage, isAddress, isHex } from 'viem';
import type { AccountName } from '../../chains/account-id.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { canonicalSignature, isSignedByAccount, isSignedByKey } from '../../chains/evm/signature.ts';
import type { RpcSettings } from '../../config/config.ts';
import { isSignedByEd25519 } from './ed25519.ts';

export type SigningWorld = { nodes: EvmNodes; config: { rpc: readonly RpcSettings[] } };

/**
 * Whether the account signed the message: an EVM account with personal_sign (its key, ERC-1271 or ERC-6492), a Solana account
 * with ed25519, a Sui account with a personal message. The signature of an account's own key is verified without a node; for a
 * contract's signature it throws CHAIN_UNAVAILABLE if the chain cannot be queried.
 */
export async function isMessageSigned(
  world: SigningWorld,
  request: { account: AccountName; message: Uint8Array; signature: string },
): Promise<boolean> {
  const { account, message, signature } = request;
  switch (account.namespace) {
    case 'eip155':
      return isDigestSigned(world, { account, digest: hashMessage({ raw: message }), signature });
    case 'solana':
      return isSignedByEd25519({
        publicKey: base58.decode(account.address),
        message,
        signature: base58Bytes(signature),
      });
    case 'sui':
      return isSuiMessageSigned(request);
    default:
      return account.namespace satisfies never;
  }
}

/** Whether an EVM account signed this digest. */
export async function isDigestSigned(
  world: SigningWorld,
  request: { account: AccountName; digest: Hex; signature: string },
): Promise<boolean> {
  const { account, digest } = request;
  if (!isHex(request.signature) || !isAddress(account.address) || request.signature.length % 2 !== 0) return false;
  const signature = canonicalSignature(request.signature);
  const signed = { signer: account.address, digest, signature };
  if (await isSignedByKey(signed)) return true;
  // Without a configured node, a contract's signature cannot be verified; a node that does not respond is an error.
  if (!world.config.rpc.some((node) => node.chainId === account.chainId)) return false;
  return await world.nodes.asking(account.chainId, (client) => isSignedByAccount({ client }, signed));
}

/** The library is loaded on first use, because most installations never see a Sui wallet. */
async function isSuiMessageSigned(request: {
  account: AccountName;
  message: Uint8Array;
  signature: string;
}): Promise<boolean> {
  const { verifyPersonalMessageSignature } = await import('@mysten/sui/verify');
  try {
    await verifyPersonalMessageSignature(request.message, request.signature, { address: request.account.address });
    return true;
  } catch {
    return false;
  }
}

function base58Bytes(text: string): Uint8Array {
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,128}$/.test(text)) return new Uint8Array();
  return base58.decode(text);
}
