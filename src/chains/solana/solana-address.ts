/**
 * Solana addresses as people give them: base58 of 32 bytes. A wallet's lies on the ed25519 curve; a program's own
 * addresses lie off it, where nobody has a key. Pure, so that nothing of Solana's libraries is loaded to check one.
 */
import { base58 } from '@scure/base';

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** On the curve, or not to be told from a wallet, and yet nobody's: money sent there is lost. */
const programs = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'ComputeBudget111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
]);

/** The address, or null for anything else than base58 of 32 bytes. Case counts. */
export function parseSolanaAddress(text: string): string | null {
  if (!ADDRESS.test(text)) return null;
  return base58.decode(text).length === 32 ? text : null;
}

/** The address of a wallet, which can sign and be paid; null for programs and for addresses that nobody has a key of. */
export function parseSolanaWallet(text: string): string | null {
  const address = parseSolanaAddress(text);
  if (address === null || programs.has(address) || /^Sysvar/.test(address)) return null;
  return isOnCurve(base58.decode(address)) ? address : null;
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
