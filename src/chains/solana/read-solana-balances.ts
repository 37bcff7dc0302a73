import type { AccountInfo, PublicKey } from '@solana/web3.js';
import { type Holding, type HoldingAnswer, readingOf, unreadable } from '../balances/holding.ts';
import { NATIVE } from '../chain.ts';
import { inParallel } from '../in-parallel.ts';
import type { SolanaNodes } from './open-solana-nodes.ts';
import { metaplexSymbol, tokenSymbol } from './token-symbol.ts';

/** Number of accounts that nodes return in one request. */
const ACCOUNTS_LIMIT = 100;
const BATCHES_AT_ONCE = 4;
const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

type Libraries = { web3: typeof import('@solana/web3.js'); spl: typeof import('@solana/spl-token') };
type Accounts = ReadonlyMap<string, AccountInfo<Buffer> | null>;
/** The accounts that determine a holding. */
type Wanted = { owner: PublicKey } & (
  | { kind: 'coin' }
  | { kind: 'token'; mint: PublicKey; classic: PublicKey; extended: PublicKey; metadata: PublicKey | null }
);

/**
 * Reads all accounts of all holdings in batches of a hundred: owners for coins; for tokens, the mint and the owner's associated accounts
 * under Token and Token-2022, because only the mint shows which of them is the right one. An account that does not exist has a balance of
 * zero. Other accounts of the owner for the same mint are not read. Throws CHAIN_UNAVAILABLE if the node fails.
 */
export async function readSolanaBalances(
  world: { solanaNodes: SolanaNodes },
  request: { chainId: number; holdings: readonly Holding[] },
): Promise<HoldingAnswer[]> {
  return await world.solanaNodes.asking(request.chainId, async (connection) => {
    const libraries: Libraries = {
      web3: await import('@solana/web3.js'),
      spl: await import('@solana/spl-token'),
    };
    const wanted = request.holdings.map((holding) => wantedOf(libraries, holding));
    const keys = [...new Map(wanted.flatMap(keysOf).map((key) => [key.toBase58(), key])).values()];
    const batches = Array.from({ length: Math.ceil(keys.length / ACCOUNTS_LIMIT) }, (_, index) =>
      keys.slice(index * ACCOUNTS_LIMIT, (index + 1) * ACCOUNTS_LIMIT),
    );
    const found = await inParallel(BATCHES_AT_ONCE, batches, async (batch) => {
      const infos = await connection.getMultipleAccountsInfo(batch);
      return batch.map((key, index) => [key.toBase58(), infos[index] ?? null] as const);
    });
    const accounts: Accounts = new Map(found.flat());
    return request.holdings.map((holding, index) => answerOf(libraries, accounts, holding, wanted[index]));
  });
}

function wantedOf({ web3, spl }: Libraries, holding: Holding): Wanted {
  const owner = new web3.PublicKey(holding.owner);
  if (holding.token === NATIVE) return { kind: 'coin', owner };
  const mint = new web3.PublicKey(holding.token);
  const associated = (program: PublicKey) => spl.getAssociatedTokenAddressSync(mint, owner, true, program);
  const metaplex = new web3.PublicKey(METAPLEX);
  const [metadata] = web3.PublicKey.findProgramAddressSync(
    [Buffer.from('metadata'), metaplex.toBuffer(), mint.toBuffer()],
    metaplex,
  );
  return {
    kind: 'token',
    owner,
    mint,
    classic: associated(spl.TOKEN_PROGRAM_ID),
    extended: associated(spl.TOKEN_2022_PROGRAM_ID),
    metadata: holding.registered ? null : metadata,
  };
}

function keysOf(wanted: Wanted): PublicKey[] {
  if (wanted.kind === 'coin') return [wanted.owner];
  const { mint, classic, extended, metadata } = wanted;
  return [mint, classic, extended, ...(metadata ? [metadata] : [])];
}

function answerOf(
  libraries: Libraries,
  accounts: Accounts,
  holding: Holding,
  wanted: Wanted | undefined,
): HoldingAnswer {
  if (!wanted) return unreadable(holding);
  if (wanted.kind === 'coin') {
    const baseUnits = BigInt(accounts.get(wanted.owner.toBase58())?.lamports ?? 0);
    return holding.registered ? readingOf(holding.registered, baseUnits) : unreadable(holding);
  }
  const { spl } = libraries;
  const info = accounts.get(wanted.mint.toBase58());
  const program = [spl.TOKEN_PROGRAM_ID, spl.TOKEN_2022_PROGRAM_ID].find((held) => info?.owner.equals(held));
  if (!info || !program) return unreadable(holding);
  try {
    const { decimals, tlvData } = spl.unpackMint(wanted.mint, info, program);
    const baseUnits = amountOf(libraries, accounts, wanted, program);
    if (holding.registered) return readingOf(holding.registered, baseUnits);
    const extension = spl.getExtensionData(spl.ExtensionType.TokenMetadata, tlvData);
    const metadata = wanted.metadata && accounts.get(wanted.metadata.toBase58());
    const symbol = extension ? tokenSymbol(extension) : metadata ? metaplexSymbol(metadata.data) : null;
    return { baseUnits, symbol, decimals };
  } catch (error) {
    if (error instanceof spl.TokenError) return unreadable(holding);
    throw error;
  }
}

/**
 * Returns the balance of the owner's associated account under the mint's own program. An account whose ownership was transferred does
 * not count.
 */
function amountOf(
  { spl }: Libraries,
  accounts: Accounts,
  wanted: Extract<Wanted, { kind: 'token' }>,
  program: PublicKey,
): bigint {
  const address = program.equals(spl.TOKEN_PROGRAM_ID) ? wanted.classic : wanted.extended;
  const info = accounts.get(address.toBase58());
  if (!info?.owner.equals(program)) return 0n;
  const account = spl.unpackAccount(address, info, program);
  return account.owner.equals(wanted.owner) ? account.amount : 0n;
}
