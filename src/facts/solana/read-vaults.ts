import type { ConfirmedSignatureInfo, Connection, PublicKey } from '@solana/web3.js';
import { type ChainFact, type DatabaseTransaction, type SolanaWatch, transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { groupFacts } from '../group-facts.ts';
import { confirmFacts, limitLockWait, noteProgress, putFacts } from '../store.ts';
import { type SolanaTransaction, toSolanaTransaction } from './solana-transaction.ts';
import { readSlot, type SolanaView } from './solana-view.ts';
import type { SolanaMemory, SolanaWorld } from './solana-world.ts';

type Reading = SolanaWorld & { memory: SolanaMemory; connection: Connection; view: SolanaView };

/** Number of vaults that are read concurrently. */
const ASKED_AT_ONCE = 8;
const PAGE = 1000;
/** Number of pages of one address that a turn reads. The next turn reads the rest. */
const PAGES = 50;
/** Number of slots before the current position that are listed again, because a node may list a slot's transactions late. */
const OVERLAP_SLOTS = 150n;

/**
 * Reads the transactions of the vaults since the last reading and puts them into the inbox: final ones as CONFIRMED facts, newer ones
 * as SEEN facts, which are reported as pending. Returns the vaults that were read up to the final slot. A vault with a listed
 * transaction that cannot be read yet keeps its position.
 */
export async function readVaults(world: Reading, watches: readonly SolanaWatch[]): Promise<SolanaWatch[]> {
  const { PublicKey: Key } = await import('@solana/web3.js');
  const complete: SolanaWatch[] = [];
  for (let start = 0; start < watches.length; start += ASKED_AT_ONCE) {
    const batch = watches.slice(start, start + ASKED_AT_ONCE);
    const listed = await Promise.all(batch.map((watch) => listSignatures(world, watch, (address) => new Key(address))));
    for (const [index, watch] of batch.entries()) {
      if (await readListed(world, listed[index] ?? [])) complete.push(watch);
    }
    await noteProgress(world, world.view.chainId);
  }
  return complete;
}

/**
 * Lists the signatures of reference and vault, oldest first. Pages by `before` only, since `until` skips transactions in the slot of
 * its signature.
 */
async function listSignatures(
  { connection }: Reading,
  watch: SolanaWatch,
  toKey: (address: string) => PublicKey,
): Promise<ConfirmedSignatureInfo[]> {
  const found = new Map<string, ConfirmedSignatureInfo>();
  for (const address of new Set([watch.reference, watch.vault])) {
    let before: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const entries = await connection.getSignaturesForAddress(
        toKey(address),
        { limit: PAGE, ...(before === undefined ? {} : { before }) },
        'confirmed',
      );
      for (const entry of entries) if (entry.err === null) found.set(entry.signature, entry);
      const last = entries.at(-1);
      if (!last || entries.length < PAGE || BigInt(last.slot) < watch.readSlot - OVERLAP_SLOTS) break;
      before = last.signature;
    }
  }
  return [...found.values()].sort((left, right) => left.slot - right.slot);
}

/** Returns whether every listed final transaction has been read. */
async function readListed(world: Reading, listed: readonly ConfirmedSignatureInfo[]): Promise<boolean> {
  const { memory, view } = world;
  for (const { signature, slot } of listed) {
    const isFinal = BigInt(slot) <= view.finalized.number;
    const key = isFinal ? signature : `seen:${signature}:${slot}`;
    if (memory.read.has(key)) continue;
    const found = await readTransaction(world, signature, isFinal);
    if (found === 'UNREADABLE') {
      if (!isFinal) continue;
      world.log.warn({ chainId: view.chainId, signature, slot }, 'A listed transaction cannot be read yet.');
      return false;
    }
    if (found) await (isFinal ? putFinal(world, found) : putSeen(world, found));
    remember(memory, key);
  }
  return true;
}

/** Returns null for a transaction that moved nothing. */
async function readTransaction(
  { connection, view }: Pick<Reading, 'connection' | 'view'>,
  signature: string,
  isFinal: boolean,
): Promise<SolanaTransaction | null | 'UNREADABLE'> {
  const commitment = isFinal ? 'finalized' : 'confirmed';
  const answer = await connection.getTransaction(signature, { commitment, maxSupportedTransactionVersion: 0 });
  if (!answer?.meta) return 'UNREADABLE';
  const block = await readSlot(connection, answer.slot, commitment);
  if (!block) return 'UNREADABLE';
  const { chainId } = view;
  return toSolanaTransaction(answer, { chainId, signature, blockHash: block.hash, blockTime: block.timestamp });
}

async function putFinal(world: Reading, found: SolanaTransaction): Promise<void> {
  await transaction(world.database, async (tx) => {
    await limitLockWait(tx);
    await put(world, found, tx);
    const seen = await tx.chainFact.findMany({
      where: { chainId: found.chainId, txHash: found.signature, blockHash: found.blockHash, status: 'SEEN' },
    });
    await confirmFacts(tx, seen);
  });
}

/** Reports pending payments once for each payment and transaction, each in a database transaction of its own app. */
async function putSeen(world: Reading, found: SolanaTransaction): Promise<void> {
  const fresh = await transaction(world.database, async (tx) => {
    await limitLockWait(tx);
    return await put(world, found, tx);
  });
  for (const group of groupFacts(world.handlers, world.view, fresh)) {
    await transaction(world.database, async (tx) => await group.handler.seen?.(tx, group));
  }
}

async function put(world: Reading, found: SolanaTransaction, tx: DatabaseTransaction): Promise<ChainFact[]> {
  const logs = await world.reader.interpret(tx, found);
  const facts = await putFacts(tx, logs);
  if (facts.length === logs.length) return facts;
  throw new GatewayError('INTERNAL_ERROR', `Two facts of slot ${found.slot} have the same key in the inbox.`, {
    meta: { chainId: found.chainId, signature: found.signature },
  });
}

const MEMORY_LIMIT = 50_000;

function remember({ read }: SolanaMemory, key: string): void {
  if (read.size >= MEMORY_LIMIT) read.clear();
  read.add(key);
}
