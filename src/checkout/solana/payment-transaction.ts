/** The unsigned transaction with which a wallet pays a vault. */
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import type { SolanaMint } from '../../chains/solana/read-solana-mint.ts';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/**
 * Returns an unsigned legacy transaction, which every wallet supports, in base64. The payer pays the fee and the rent of the
 * vault's token account. The transfer comes last and carries the reference, with the memo right before it, as in Solana Pay.
 */
export function paymentTransaction(request: {
  payer: string;
  /** The vault's owner. */
  owner: string;
  /** Null for SOL. */
  mint: SolanaMint | null;
  amount: bigint;
  reference: string;
  memo: string;
  blockhash: string;
  lastValidBlockHeight: number;
}): string {
  const { mint, amount, blockhash, lastValidBlockHeight } = request;
  const payer = new PublicKey(request.payer);
  const owner = new PublicKey(request.owner);
  const memo = new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(request.memo) });
  const transfer = mint
    ? tokenTransfer({ payer, owner, mint, amount })
    : [SystemProgram.transfer({ fromPubkey: payer, toPubkey: owner, lamports: amount })];
  transfer.at(-1)?.keys.push({ pubkey: new PublicKey(request.reference), isSigner: false, isWritable: false });
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight });
  transaction.add(...transfer.slice(0, -1), memo, ...transfer.slice(-1));
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64');
}

/** Creates the vault's account if it does not exist, then pays it. */
function tokenTransfer(request: { payer: PublicKey; owner: PublicKey; mint: SolanaMint; amount: bigint }) {
  const { payer, owner, amount } = request;
  const mint = new PublicKey(request.mint.address);
  const program = new PublicKey(request.mint.programId);
  const source = getAssociatedTokenAddressSync(mint, payer, false, program);
  const vault = getAssociatedTokenAddressSync(mint, owner, true, program);
  return [
    createAssociatedTokenAccountIdempotentInstruction(payer, vault, owner, mint, program),
    createTransferCheckedInstruction(source, mint, vault, payer, amount, request.mint.decimals, [], program),
  ];
}
