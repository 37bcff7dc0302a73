import { erc20Abi, type Hex, isHex } from 'viem';
import { type Database, type DatabaseTransaction, type Prisma, transaction } from '../../../../prisma/client.ts';
import { type Chain, NATIVE } from '../../../chains/chain.ts';
import type { EvmNodes } from '../../../chains/evm/nodes.ts';
import type { Registry } from '../../../chains/registry.ts';
import { GatewayError } from '../../../errors.ts';
import { lowest } from '../../../facts/chain-fact.ts';
import { newChainMemory, readChainView } from '../../../facts/chain-view.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/identifier.ts';
import { toDecimal } from '../../../prices/base-units.ts';
import { proveAccounts, statementOf, sumsOf } from './liability.ts';
import { readLiabilities, type TokenLiabilities } from './read-liabilities.ts';
import { type PublishedSnapshot, type PublishedTotal, publishedOf, snapshotDigest } from './snapshot.ts';

type World = { database: Database; nodes: EvmNodes; registry: Registry; clock: Clock };
type Block = { number: bigint; hash: Hex; timestamp: bigint };
type Account = { tokenKey: string; appId: string; statement: string[]; pieces: Prisma.InputJsonValue };

const NATIVE_ADDRESS = `0x${'00'.repeat(20)}`;
/** Number of accounts that are inserted by one statement. */
const BATCH = 200;

/**
 * Takes a snapshot of an EVM chain at the newest block that is final and whose facts have all been applied, and stores it with the
 * proofs of all apps in one transaction. If the newest snapshot is of that block, returns it. Throws CONFLICT if the newest snapshot
 * is of a later block; INVALID_STATE for a chain that has no escrow, was never read, or is halted; and CHAIN_UNAVAILABLE.
 */
export async function publishLiabilities(world: World, { chainId }: { chainId: number }): Promise<PublishedSnapshot> {
  const { database, registry } = world;
  const chain = registry.chain(chainId);
  const escrow = chain?.escrow?.toLowerCase();
  if (chain?.family !== 'EVM' || !isHex(escrow)) {
    throw new GatewayError('INVALID_STATE', `Chain ${chainId} has no escrow contract.`);
  }
  const block = await finalBlock(world, chain);
  const { known } = await follow(database, { chainId, block });
  if (known) return known;
  const { tokens, operators } = await readLiabilities(database, { chainId, escrow, upTo: block.number });
  const accounts: Account[] = [];
  const totals: PublishedTotal[] = [];
  for (const token of withRegistered(chain, tokens)) {
    const place = {
      chainId,
      blockHash: block.hash,
      escrow,
      tokenKey: token.tokenKey,
      tokenAddress: token.tokenAddress,
    };
    const { rootHash, total, pieces } = proveAccounts(place, token.accounts);
    const {
      HELD: held,
      CAPTURED: captured,
      DISPUTED: disputed,
      UNDELIVERED: undelivered,
    } = sumsOf([...token.accounts.values()].flat());
    const escrowBalance = await balanceAt(world, { chainId, escrow, token: token.tokenAddress, block });
    const { tokenKey, tokenAddress } = token;
    const decimals = registry.token(tokenKey)?.decimals ?? null;
    totals.push({
      tokenKey,
      tokenAddress,
      decimals,
      held,
      captured,
      disputed,
      undelivered,
      total,
      escrowBalance,
      rootHash,
    });
    for (const [appId, liabilities] of token.accounts) {
      accounts.push({ tokenKey, appId, statement: statementOf(liabilities), pieces: pieces.get(appId) ?? [] });
    }
  }
  totals.sort((left, right) => (left.tokenKey < right.tokenKey ? -1 : 1));
  return await store(world, { chainId, block, escrow, operators, totals, accounts });
}

async function store(
  { database, clock }: World,
  made: {
    chainId: number;
    block: Block;
    escrow: string;
    operators: string[];
    totals: PublishedTotal[];
    accounts: Account[];
  },
): Promise<PublishedSnapshot> {
  const { chainId, block, escrow, operators, totals, accounts } = made;
  const origin = { chainId, blockNumber: block.number, blockHash: block.hash, blockTimestamp: block.timestamp, escrow };
  return await transaction(database, async (tx) => {
    await lockSnapshots(tx, chainId);
    const { known, previousDigest } = await follow(tx, { chainId, block });
    if (known) return known;
    const facts = { id: newId(), ...origin, operators, previousDigest, createdAt: clock.now() };
    const digest = snapshotDigest({ ...facts, tokens: totals });
    const snapshotId = facts.id;
    await tx.liabilitySnapshot.create({ data: { ...facts, digest } });
    await tx.liabilityTotal.createMany({
      data: totals.map(({ total: _sum, held, captured, disputed, undelivered, escrowBalance, ...total }) => ({
        snapshotId,
        ...total,
        held: toDecimal(held),
        captured: toDecimal(captured),
        disputed: toDecimal(disputed),
        undelivered: toDecimal(undelivered),
        escrowBalance: toDecimal(escrowBalance),
      })),
    });
    for (let start = 0; start < accounts.length; start += BATCH) {
      const data = accounts.slice(start, start + BATCH).map((account) => ({ snapshotId, ...account }));
      await tx.liabilityAccount.createMany({ data });
    }
    return { ...facts, digest, tokens: totals };
  });
}

/** Serializes the snapshots of a chain across processes until the transaction ends, so that each one follows the one before it. */
async function lockSnapshots(tx: DatabaseTransaction, chainId: number): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`liabilities:${chainId}`}, 0))::text`;
}

/** Returns the digest of the newest snapshot, and that snapshot if it is of the block. Throws CONFLICT if it is of a later block. */
async function follow(
  database: Database | DatabaseTransaction,
  { chainId, block }: { chainId: number; block: Block },
): Promise<{ known: PublishedSnapshot | null; previousDigest: string | null }> {
  const newest = await database.liabilitySnapshot.findFirst({
    where: { chainId },
    orderBy: { blockNumber: 'desc' },
    include: { totals: true },
  });
  if (newest && newest.blockNumber > block.number) {
    const message = `Block ${block.number} of chain ${chainId} is before block ${newest.blockNumber} of its newest snapshot.`;
    throw new GatewayError('CONFLICT', message);
  }
  const known = newest?.blockNumber === block.number ? publishedOf(newest) : null;
  return { known, previousDigest: newest?.digest ?? null };
}

/** The newest block that the node calls final, that has the required confirmations, and whose facts are all applied. */
async function finalBlock({ database, nodes }: World, chain: Chain): Promise<Block> {
  const { chainId } = chain;
  const cursor = await database.chainCursor.findUnique({ where: { chainId } });
  if (!cursor) throw new GatewayError('INVALID_STATE', `Chain ${chainId} was never read.`);
  if (cursor.haltedAt) throw new GatewayError('INVALID_STATE', `Chain ${chainId} is halted.`);
  const { finalized, blockAt } = await readChainView({ nodes, memory: newChainMemory() }, chain);
  const block = await blockAt(lowest(finalized.number, cursor.appliedNumber, cursor.readNumber));
  if (!block) throw new GatewayError('CHAIN_UNAVAILABLE', `The node of chain ${chainId} has no final block.`);
  const other = await database.chainFact.findFirst({
    where: {
      chainId,
      OR: [
        { status: 'SEEN', blockNumber: { lte: block.number } },
        { blockNumber: block.number, blockHash: { not: block.hash }, status: { not: 'ORPHANED' } },
      ],
    },
  });
  if (other)
    throw new GatewayError(
      'CHAIN_UNAVAILABLE',
      `Facts of chain ${chainId} up to its final block have not all been applied yet.`,
    );
  return block;
}

/** Registered tokens without liabilities are also published, with the balance of the escrow. */
function withRegistered(chain: Chain, tokens: readonly TokenLiabilities[]): TokenLiabilities[] {
  const known = new Set(tokens.map(({ tokenKey }) => tokenKey));
  const others = chain.tokens
    .filter(({ key }) => !known.has(key))
    .map(({ key, address }) => ({
      tokenKey: key,
      tokenAddress: address === NATIVE ? NATIVE_ADDRESS : address.toLowerCase(),
      accounts: new Map(),
    }));
  return [...tokens, ...others];
}

/** Reads the balance at the block's hash, so that the balance of another fork is never published with these liabilities. */
async function balanceAt(
  { nodes }: World,
  { chainId, escrow, token, block }: { chainId: number; escrow: Hex; token: string; block: Block },
): Promise<bigint> {
  const at = { blockHash: block.hash, requireCanonical: true } as const;
  return await nodes.asking(chainId, async (client) => {
    if (!isHex(token) || token === NATIVE_ADDRESS) {
      return BigInt(await client.request({ method: 'eth_getBalance', params: [escrow, at] }));
    }
    const { blockHash } = at;
    return await client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [escrow],
      blockHash,
    });
  });
}
