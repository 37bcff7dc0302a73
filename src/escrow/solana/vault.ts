/**
 * The accounts that hold a payment on Solana until it is settled or refunded. Sluice has no program on Solana: each intent has a key of
 * its own, whose accounts hold its payments. Anyone with the master secret can move them. This is custody, which is disclosed wherever
 * Solana is offered.
 *
 * - vault owner: the key of one intent, HMAC-SHA-256 of the master secret and the intent's id.
 * - vault: the account that is paid: the owner's associated token account of a mint, or the owner itself for SOL.
 * - reference: a public key without a known private key, one for each quote, by which the payment is found (Solana Pay).
 * - keeper: the key of one recipient, HMAC-SHA-256 of the master secret and the recipient's address. Its account keeps the
 *   shares that the recipient cannot take yet, and nothing else but the rent reserve that the operator put in.
 *
 * All addresses are base58.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { base58 } from '@scure/base';

/** A mint and the token program that it belongs to. */
export type VaultMint = { address: string; programId: string };

/** `secretKey`: 64 bytes, seed and public key, as Solana's libraries take it. */
export type VaultKeypair = { address: string; secretKey: Uint8Array };

const ATA_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
/** PKCS #8 of an Ed25519 key, before its 32 bytes of seed (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** The key of one intent. `masterSecret`: 64 hex digits; `intentId`: the intent's UUID in lower case. */
export function vaultKeypair(masterSecret: string, intentId: string): VaultKeypair {
  return derivedKeypair(masterSecret, `sluice/solana/vault/v1/${intentId}`);
}

/** The key whose account keeps the shares of a recipient, a wallet in base58, that holds too little to take them. */
export function keeperKeypair(masterSecret: string, recipient: string): VaultKeypair {
  return derivedKeypair(masterSecret, `sluice/solana/keeper/v1/${recipient}`);
}

function derivedKeypair(masterSecret: string, name: string): VaultKeypair {
  const seed = createHmac('sha256', Buffer.from(masterSecret, 'hex')).update(name).digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(spki.length - KEY_BYTES);
  return { address: base58.encode(publicKey), secretKey: new Uint8Array([...seed, ...publicKey]) };
}

/** The account that is paid: the owner's associated token account, of Token-2022 too, or the owner itself for SOL. */
export async function vaultAddress(owner: string, mint: VaultMint | null): Promise<string> {
  if (mint === null) return owner;
  const { PublicKey } = await import('@solana/web3.js');
  const seeds = [owner, mint.programId, mint.address].map((address) => new PublicKey(address).toBytes());
  const [address] = PublicKey.findProgramAddressSync(seeds, new PublicKey(ATA_PROGRAM));
  return address.toBase58();
}

/** The reference by which a delivery of kept shares is found. `outgoingPurpose` is the unique purpose of its transaction. */
export function deliveryReferenceOf(outgoingPurpose: string): string {
  return base58.encode(createHash('sha256').update(`sluice/solana/delivery/v1/${outgoingPurpose}`).digest());
}

/** The quote's reference; `quoteId`: its UUID in lower case. */
export function referenceOf(quoteId: string): string {
  return base58.encode(createHash('sha256').update(`sluice/solana/reference/v1/${quoteId}`).digest());
}
