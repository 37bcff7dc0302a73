/**
 * Compares what the wallet has to sign with the screen: one payment of exactly this amount of this token to the address that the QR code
 * also contains, and nothing else. Only the gateway knows the owner of that address.
 */
import { readTransaction, type SolanaInstruction } from '../../wallet/solana/read-transaction.ts';

export type ShownTransfer = {
  payer: string;
  /** The recipient in the Solana Pay URL. */
  recipient: string;
  /** The mint, or `native`. */
  token: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
};

const SYSTEM = '11111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const TOKENS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
/** The numbers of instructions in their programs. */
const TRANSFER = 2;
const TRANSFER_CHECKED = 12;
const CREATE_IDEMPOTENT = 1;

/** True only if the transaction is that payment. */
export function isShownTransfer(base64: string, shown: ShownTransfer): boolean {
  try {
    const { signers, instructions } = readTransaction(base64);
    const others = instructions.filter(({ program }) => program !== MEMO);
    return (
      signers.length === 1 &&
      signers[0] === shown.payer &&
      (shown.token === 'native' ? isCoinTransfer(others, shown) : isTokenTransfer(others, shown))
    );
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isCoinTransfer(instructions: readonly SolanaInstruction[], shown: ShownTransfer): boolean {
  const [transfer] = instructions;
  if (instructions.length !== 1 || transfer?.program !== SYSTEM || transfer.data.length !== 12) return false;
  const [from, to] = transfer.accounts;
  const data = viewOf(transfer.data);
  const isExact = data.getUint32(0, true) === TRANSFER && data.getBigUint64(4, true) === shown.amount;
  return isExact && from === shown.payer && to === shown.recipient;
}

/** The token account is opened for the recipient, as its program ensures, and then paid. */
function isTokenTransfer(instructions: readonly SolanaInstruction[], shown: ShownTransfer): boolean {
  const [opening, transfer] = instructions;
  if (instructions.length !== 2 || !opening || !transfer || !TOKENS.includes(transfer.program)) return false;
  const [, opened, owner, openedMint, , program] = opening.accounts;
  const isOpening =
    opening.program === ASSOCIATED && opening.data.length === 1 && opening.data[0] === CREATE_IDEMPOTENT;
  if (!isOpening || owner !== shown.recipient || openedMint !== shown.token || program !== transfer.program)
    return false;
  const [, mint, to, authority] = transfer.accounts;
  if (transfer.data.length !== 10 || mint !== shown.token || to !== opened || authority !== shown.payer) return false;
  const data = viewOf(transfer.data);
  return (
    data.getUint8(0) === TRANSFER_CHECKED &&
    data.getBigUint64(1, true) === shown.amount &&
    data.getUint8(9) === shown.decimals
  );
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
