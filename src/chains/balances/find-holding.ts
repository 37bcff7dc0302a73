import { type FieldFault, invalid } from '../../errors.ts';
import { NATIVE } from '../chain.ts';
import { readEvmAddress } from '../evm/evm-address.ts';
import type { Chain, Registry, Token } from '../registry.ts';
import { parseSolanaAddress } from '../solana/solana-address.ts';
import { parseSuiCoinType } from '../sui/parse-sui-coin-type.ts';
import { parseSuiAddress } from '../sui/sui-address.ts';
import type { BalanceQuery, Holding } from './holding.ts';

/**
 * Returns the holding that a query describes. Throws VALIDATION_ERROR that names every invalid field: an unknown chain or token key, an
 * address or token that does not belong to the chain's family, a key of another chain, or a token and a key that differ.
 */
export async function findHolding(world: { registry: Registry }, query: BalanceQuery): Promise<Holding> {
  const chain = world.registry.chain(query.chainId);
  if (!chain) throw invalid([{ param: 'chainId', message: `${query.chainId} is not a known chain` }]);
  const faults: FieldFault[] = [];
  const owner = families[chain.family].owner(query.address);
  if (owner === null) faults.push({ param: 'address', message: `must be ${families[chain.family].words}` });
  const byKey = await findByKey(world.registry, chain, query.tokenKey, faults);
  const given = await findToken(chain, query.token, faults);
  if (given && byKey && given.token !== byKey.token) {
    faults.push({ param: 'token', message: `is not the token of tokenKey ${query.tokenKey}` });
  }
  if (faults.length > 0 || owner === null) throw invalid(faults);
  const coin = { token: NATIVE, registered: chain.tokens.find((held) => held.address === NATIVE) ?? null };
  return { chain, owner, ...(given ?? byKey ?? coin) };
}

type Found = Pick<Holding, 'token' | 'registered'>;

type Family = {
  owner(text: string): string | null;
  /** The canonical form of a contract, mint or coin type, or null. */
  token(text: string): Promise<string | null>;
  words: string;
  tokenWords: string;
};

const families: Record<Chain['family'], Family> = {
  EVM: {
    owner: readEvmAddress,
    token: async (text) => readEvmAddress(text),
    words: '0x and 40 hex digits',
    tokenWords: 'native or a contract address',
  },
  SOLANA: {
    owner: parseSolanaAddress,
    token: async (text) => parseSolanaAddress(text),
    words: 'base58 of 32 bytes',
    tokenWords: 'native or a mint in base58',
  },
  SUI: {
    owner: parseSuiAddress,
    token: parseSuiCoinType,
    words: '0x and at most 64 hex digits',
    tokenWords: 'native or a coin type such as 0x2::sui::SUI',
  },
};

async function findByKey(
  registry: Registry,
  chain: Chain,
  key: string | null | undefined,
  faults: FieldFault[],
): Promise<Found | null> {
  if (key === null || key === undefined) return null;
  const token = registry.token(key);
  if (!token || token.chainId !== chain.chainId) {
    faults.push({ param: 'tokenKey', message: token ? `is not on chain ${chain.chainId}` : 'is not a known token' });
    return null;
  }
  return { token: await canonical(chain, token), registered: token };
}

async function findToken(chain: Chain, text: string | null | undefined, faults: FieldFault[]): Promise<Found | null> {
  if (text === null || text === undefined) return null;
  const parsed = text === NATIVE ? NATIVE : await families[chain.family].token(text);
  if (parsed === null) {
    faults.push({ param: 'token', message: `must be ${families[chain.family].tokenWords}` });
    return null;
  }
  const token = await coinTypeAsNative(chain, parsed);
  const named = await Promise.all(chain.tokens.map(async (held) => ({ held, as: await canonical(chain, held) })));
  return { token, registered: named.find(({ as }) => as === token)?.held ?? null };
}

/** The registry's address in canonical form. An invalid one in the registry is left unchanged, and fails on the chain. */
async function canonical(chain: Chain, token: Token): Promise<string> {
  if (token.address === NATIVE) return NATIVE;
  return (await families[chain.family].token(token.address)) ?? token.address;
}

/** On Sui, the chain's coin has a type like any other coin. */
async function coinTypeAsNative(chain: Chain, token: string): Promise<string> {
  if (chain.family !== 'SUI' || token === NATIVE) return token;
  return token === (await parseSuiCoinType('0x2::sui::SUI')) ? NATIVE : token;
}
