import { getAssociatedTokenAddressSync, unpackAccount } from '@solana/spl-token';
import { type AccountInfo, type Connection, PublicKey, SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import { NATIVE, type Token } from '../../chains/chain.ts';
import { readSolanaMint, type SolanaMint } from '../../chains/solana/read-solana-mint.ts';
import { GatewayError, invalid } from '../../errors.ts';

export type SolanaCheckoutReading = {
  /** Time of the newest confirmed block, in Unix seconds. */
  timestamp: number;
  blockhash: string;
  lastValidBlockHeight: number;
  /** Null for SOL. */
  mint: SolanaMint | null;
  /** Base units in the wallet (for a token, in its associated account); zero if no wallet was given. */
  balance: bigint;
  /** The lamports that an account without data must hold. */
  smallestAccount: bigint;
};

/** The offset of the Unix time in the clock account's data. */
const UNIX_TIME_AT = 32;

/**
 * Reads what a quote needs from its cluster. Throws CHAIN_UNAVAILABLE if the mint does not match the registry, VALIDATION_ERROR
 * for a mint that can charge for or block transfers, and the node's errors.
 */
export async function readSolanaCheckout(
  world: { connection: Connection },
  request: { token: Token; payer: string | null },
): Promise<SolanaCheckoutReading> {
  const { connection } = world;
  const mint = request.token.address === NATIVE ? null : await requireMint(connection, request.token);
  const holder = request.payer === null ? null : holderOf(new PublicKey(request.payer), mint);
  // The library's variants of these calls without context replace the node's error with a plain message.
  const [{ value: accounts }, { value: latest }, smallest] = await Promise.all([
    connection.getMultipleAccountsInfoAndContext([SYSVAR_CLOCK_PUBKEY, ...(holder ? [holder] : [])]),
    connection.getLatestBlockhashAndContext(),
    connection.getMinimumBalanceForRentExemption(0),
  ]);
  const [clock, held] = accounts;
  if (!clock) throw new GatewayError('CHAIN_UNAVAILABLE', 'The Solana node has no clock.');
  return {
    ...latest,
    timestamp: Number(clock.data.readBigInt64LE(UNIX_TIME_AT)),
    mint,
    balance: mint && holder ? heldTokens(holder, held ?? null) : BigInt(held?.lamports ?? 0),
    smallestAccount: BigInt(smallest),
  };
}

async function requireMint(connection: Connection, token: Token): Promise<SolanaMint> {
  const { value: account } = await connection.getAccountInfoAndContext(new PublicKey(token.address));
  const mint = readSolanaMint(token.address, account);
  if (!mint || mint.decimals !== token.decimals) {
    throw new GatewayError('CHAIN_UNAVAILABLE', `${token.key} is not on its chain as the registry says.`, {
      meta: { chainId: token.chainId, tokenKey: token.key },
    });
  }
  if (!mint.hasPlainTransfers) {
    throw invalid([
      { param: 'tokenKey', message: `${token.key} deducts from transfers or refuses them, and cannot be used to pay` },
    ]);
  }
  return mint;
}

function holderOf(payer: PublicKey, mint: SolanaMint | null): PublicKey {
  if (!mint) return payer;
  return getAssociatedTokenAddressSync(new PublicKey(mint.address), payer, false, new PublicKey(mint.programId));
}

function heldTokens(address: PublicKey, account: AccountInfo<Buffer> | null): bigint {
  return account ? unpackAccount(address, account, account.owner).amount : 0n;
}
