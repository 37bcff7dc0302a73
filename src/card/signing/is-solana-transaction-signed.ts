import { base58 } from '@scure/base';
import type { AccountName } from '../../chains/account-id.ts';
import { isSignedByEd25519 } from './ed25519.ts';

/** A serialized transaction: a count, that many signatures of 64 bytes, and the message that they sign. */
export type SolanaWire = { signatures: Uint8Array[]; message: Uint8Array };

const SIGNATURE_BYTES = 64;
const SIGNATURES_LIMIT = 12;

/** Whether `signed` is the wanted transaction, byte for byte except for its signatures, with a valid signature of the account. */
export async function isSolanaTransactionSigned(request: {
  account: AccountName;
  wanted: Uint8Array;
  signed: Uint8Array;
}): Promise<boolean> {
  const wanted = readSolanaWire(request.wanted);
  const signed = readSolanaWire(request.signed);
  if (!wanted || !signed || Buffer.compare(wanted.message, signed.message) !== 0) return false;
  const signers = await signersOf(signed.message);
  const index = signers.indexOf(request.account.address);
  const signature = signed.signatures[index];
  if (!signature || signers.length !== signed.signatures.length) return false;
  return isSignedByEd25519({
    publicKey: base58.decode(request.account.address),
    message: signed.message,
    signature,
  });
}

/** Null for bytes that are not a transaction. The count is one byte, because a packet holds no more signatures. */
export function readSolanaWire(bytes: Uint8Array): SolanaWire | null {
  const count = bytes[0] ?? 0;
  const start = 1 + count * SIGNATURE_BYTES;
  if (count === 0 || count > SIGNATURES_LIMIT || bytes.length <= start) return null;
  const signatures = Array.from({ length: count }, (_, index) =>
    bytes.slice(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES),
  );
  return { signatures, message: bytes.slice(start) };
}

/** The addresses that must sign, in the order of their signatures. */
export async function signersOf(message: Uint8Array): Promise<string[]> {
  const { VersionedMessage } = await import('@solana/web3.js');
  try {
    const parsed = VersionedMessage.deserialize(message);
    return parsed.staticAccountKeys.slice(0, parsed.header.numRequiredSignatures).map((key) => key.toBase58());
  } catch {
    return [];
  }
}
