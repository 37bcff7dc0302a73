import { setTimeout as delay } from 'node:timers/promises';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
} from '@solana/spl-token';
import {
  Connection,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { localMints } from './local-solana-chain.ts';
import { localSolanaAccounts, localSolanaKeypair } from './solana-accounts.ts';

const ENOUGH_LAMPORTS = 1_000_000_000_000n;
const ENOUGH_TOKENS = 1_000_000n;
const LANDING_LIMIT_MS = 60_000;

/**
 * Creates the mints on a local Solana, gives SOL to the accounts that send transactions, and SOL and a million of each token to `fund`,
 * which defaults to the local payers. Merchant and fee recipient receive the balance that an account must hold to accept any amount. All
 * addresses are derived from the code, and existing accounts stay unchanged.
 */
export async function furnishSolana(options: { rpcUrl: string; fund?: string[] }): Promise<void> {
  const connection = new Connection(options.rpcUrl, 'processed');
  const authority = localSolanaKeypair('mint authority');
  const { operator, merchant, feeRecipient, payers } = localSolanaAccounts;
  const funded = options.fund ?? payers.map((payer) => payer.address);
  for (const address of [authority.publicKey.toBase58(), operator.address, ...funded]) {
    await ensureLamports(connection, new PublicKey(address));
  }
  // An empty wallet cannot receive less than this, and the shares of small payments are smaller.
  const least = BigInt(await connection.getMinimumBalanceForRentExemption(0));
  for (const { address } of [merchant, feeRecipient]) {
    await ensureLamports(connection, new PublicKey(address), { least, lamports: least });
  }
  for (const mint of localMints) {
    if (await connection.getAccountInfo(mint.keypair.publicKey)) continue;
    const lamports = await connection.getMinimumBalanceForRentExemption(MINT_SIZE);
    const create = SystemProgram.createAccount({
      fromPubkey: authority.publicKey,
      newAccountPubkey: mint.keypair.publicKey,
      lamports,
      space: MINT_SIZE,
      programId: mint.program,
    });
    const { publicKey } = authority;
    const initialize = createInitializeMint2Instruction(
      mint.keypair.publicKey,
      mint.decimals,
      publicKey,
      publicKey,
      mint.program,
    );
    await send(connection, [create, initialize], [authority, mint.keypair]);
  }
  for (const address of funded) await ensureTokens(connection, authority, new PublicKey(address));
}

async function ensureLamports(
  connection: Connection,
  address: PublicKey,
  { least, lamports } = { least: ENOUGH_LAMPORTS / 2n, lamports: ENOUGH_LAMPORTS },
): Promise<void> {
  if (BigInt(await connection.getBalance(address)) >= least) return;
  await landed(connection, await connection.requestAirdrop(address, Number(lamports)));
}

async function ensureTokens(connection: Connection, authority: Keypair, owner: PublicKey): Promise<void> {
  const instructions: TransactionInstruction[] = [];
  for (const { keypair, program, decimals } of localMints) {
    const mint = keypair.publicKey;
    const account = getAssociatedTokenAddressSync(mint, owner, false, program);
    const enough = ENOUGH_TOKENS * 10n ** BigInt(decimals);
    const held = (await connection.getAccountInfo(account))
      ? BigInt((await connection.getTokenAccountBalance(account)).value.amount)
      : 0n;
    if (held >= enough / 2n) continue;
    instructions.push(
      createAssociatedTokenAccountIdempotentInstruction(authority.publicKey, account, owner, mint, program),
      createMintToInstruction(mint, account, authority.publicKey, enough, [], program),
    );
  }
  if (instructions.length > 0) await send(connection, instructions, [authority]);
}

async function send(connection: Connection, instructions: TransactionInstruction[], signers: Keypair[]): Promise<void> {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ blockhash, lastValidBlockHeight }).add(...instructions);
  transaction.sign(...signers);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await landed(connection, signature);
}

/** Polls the status, because a notification may be lost with its socket. */
async function landed(connection: Connection, signature: string): Promise<void> {
  const deadline = Date.now() + LANDING_LIMIT_MS;
  while (Date.now() < deadline) {
    const status = (await connection.getSignatureStatuses([signature])).value[0];
    if (status?.err) throw new Error(`Setting up the local Solana failed: ${JSON.stringify(status.err)}`);
    if (status) return;
    await delay(20);
  }
  throw new Error('A transaction that sets up the local Solana did not land.');
}
