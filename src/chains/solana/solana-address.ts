/**
 * Solana addresses as people enter them: base58 of 32 bytes. A wallet's address is on the ed25519 curve. A program's own addresses are off
 * the curve, where no private key exists. This file loads none of Solana's libraries.
 */
import { base58 } from '@scure/base';

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Programs, native mints and the burn address. Some are on the curve, but their keys are unknown, and money sent there is lost. */
const programs = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'ComputeBudget111111111111111111111111111111',
  'So11111111111111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
]);

/** Returns the address, or null for anything other than base58 of 32 bytes. Case is significant. */
export function parseSolanaAddress(text: string): string | null {
  if (!ADDRESS.test(text)) return null;
  return base58.decode(text).length === 32 ? text : null;
}

/** Returns why an address that `parseSolanaAddress` accepted is not a wallet that can sign and be paid. Null if it is one. */
export function solanaWalletFault(address: string): string | null {
  if (programs.has(address)) return 'is a program or an account of the system, and nobody has a key to it';
  if (address.startsWith('Sysvar')) return 'is a sysvar, and nobody has a key to it';
  return isOnCurve(base58.decode(address))
    ? null
    : 'is no wallet but an account without a key, such as a token account; give the wallet that owns it';
}

const P = 2n ** 255n - 19n;
/** The curve's constant: -121665/121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether 32 bytes are a point of -x² + y² = 1 + d·x²·y² (RFC 8032, 5.1.3): y is all but the last bit, little-endian, and
 * x² = (y² - 1) / (d·y² + 1) must be a square.
 */
function isOnCurve(bytes: Uint8Array): boolean {
  const number = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const y = number & ((1n << 255n) - 1n);
  if (y >= P) return false;
  const y2 = (y * y) % P;
  const numerator = (y2 - 1n + P) % P;
  const denominator = (D * y2 + 1n) % P;
  if (numerator === 0n) return number >> 255n === 0n;
  // a/b is a square exactly when a·b is; Euler's criterion.
  return power((numerator * denominator) % P, (P - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
