/** What a wallet does after it has scanned a Solana Pay code: it pays by the URL alone. https://docs.solanapay.com/spec */
import { base58 } from '@scure/base';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getMint,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import { parseUnits } from 'viem';
import type { LocalSolanaAccount } from '../../../src/local/solana/solana-accounts.ts';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** Returns the signature once the node has accepted the transaction. */
export async function paySolanaUrl(rpcUrl: string, payer: LocalSolanaAccount, url: string): Promise<string> {
  const { protocol, pathname, searchParams } = new URL(url);
  if (protocol !== 'solana:') throw new Error(`${url} is not a Solana Pay URL.`);
  const connection = new Connection(rpcUrl, 'confirmed');
  const keypair = Keypair.fromSecretKey(base58.decode(payer.secretKey));
  const owner = new PublicKey(pathname);
  const from = keypair.publicKey;
  const amount = searchParams.get('amount') ?? '';
  const token = searchParams.get('spl-token');
  const instructions: TransactionInstruction[] = [];
  if (token === null) {
    const lamports = parseUnits(amount, String(LAMPORTS_PER_SOL).length - 1);
    instructions.push(SystemProgram.transfer({ fromPubkey: from, toPubkey: owner, lamports }));
  } else {
    const mint = new PublicKey(token);
    const program = (await connection.getAccountInfo(mint))?.owner;
    if (!program) throw new Error(`There is no mint ${token}.`);
    const { decimals } = await getMint(connection, mint, 'confirmed', program);
    const source = getAssociatedTokenAddressSync(mint, from, false, program);
    const target = getAssociatedTokenAddressSync(mint, owner, true, program);
    const units = parseUnits(amount, decimals);
    instructions.push(
      createAssociatedTokenAccountIdempotentInstruction(from, target, owner, mint, program),
      createTransferCheckedInstruction(source, mint, target, from, units, decimals, [], program),
    );
  }
  for (const reference of searchParams.getAll('reference')) {
    instructions.at(-1)?.keys.push({ pubkey: new PublicKey(reference), isSigner: false, isWritable: false });
  }
  const memo = Buffer.from(searchParams.get('memo') ?? '');
  const transaction = new Transaction();
  transaction.add(
    ...instructions.slice(0, -1),
    new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: memo }),
    ...instructions.slice(-1),
  );
  transaction.recentBlockhash = (await connection.getLatestBlockhash('processed')).blockhash;
  transaction.sign(keypair);
  return await connection.sendRawTransaction(transaction.serialize());
}
