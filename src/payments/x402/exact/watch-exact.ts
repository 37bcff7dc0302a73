import { type Database, type ExactAuthorization, type Prisma, transaction } from '../../../../prisma/client.ts';
import { evmBlockHash } from '../../../chains/evm/evm-block-hash.ts';
import type { EvmNodes } from '../../../chains/evm/nodes.ts';
import type { ChainView } from '../../../facts/chain-view.ts';
import { limitLockWait } from '../../../facts/store.ts';
import { databaseFault } from '../../../platform/database/database-fault.ts';
import type { Log } from '../../../platform/log.ts';
import { hex } from './exact-authorization.ts';
import { findUses, readUsed, type UseSearches } from './find-uses.ts';
import { recordUse } from './record-use.ts';
import { findUnsent } from './send-transfer.ts';
import { sendAgain, setExpired } from './unused.ts';
import type { OutcomeWorld } from './write-outcome.ts';

export type ExactWatchWorld = OutcomeWorld & { database: Database; nodes: EvmNodes; log: Log; memory: ExactMemory };

/** Kept between the turns of a process. `contracts` are payers, with their chains, that were found to be contracts. */
export type ExactMemory = { searches: UseSearches; contracts: Set<string> };

export function newExactMemory(): ExactMemory {
  return { searches: new Map(), contracts: new Set() };
}

/** Authorizations that are read and compared with the chain together. */
const PAGE = 1_000;
/** Fruitless searches, of about ten seconds in all, after which the missing log is reported, at most once a minute. */
const MISSES_REPORTED = 5;
/** Entries of a part of the memory, which then begins anew. */
const MEMORY_LIMIT = 10_000;

/**
 * Reads the outcomes of a chain's pending authorizations at its newest block. A use or cancellation, by the gateway's transaction or
 * another, is written to the inbox. One that is unused is sent again if nothing sends it, while it is valid, and fails once it has expired
 * at the confirmed height. Called by the projector in each turn, which reads all of them, a page at a time: those that are pending
 * first, and of these the ones that expire first. Idempotent. If a node fails, the page is read again in the next turn. Returns the
 * references of the facts that it has written.
 */
export async function watchExact(
  world: ExactWatchWorld,
  view: ChainView,
  { page = PAGE }: { page?: number } = {},
): Promise<string[]> {
  const written: string[] = [];
  for await (const open of openAuthorizations(world.database, { view, page })) {
    written.push(...(await watchPage(world, view, open)));
  }
  return written;
}

async function watchPage(world: ExactWatchWorld, view: ChainView, open: ExactAuthorization[]): Promise<string[]> {
  const { database, nodes, log, clock, memory } = world;
  const { chainId, head } = view;
  const { searches } = memory;
  const reading = await nodes
    .askingOneWith(chainId, { number: head.number, hash: head.hash }, async (client) => {
      const used = await readUsed(client, { authorizations: open, blockHash: evmBlockHash(head.hash) });
      const authorizations = open.filter((_, index) => used[index] === true);
      return { used, ...(await findUses(client, { authorizations, view, searches, now: clock.now() })) };
    })
    .catch((error: unknown) => {
      log.warn({ chainId, error }, 'The x402 authorizations of a chain could not be read and will be read again.');
      return null;
    });
  if (!reading) return [];
  reportMissing(world, { chainId, missing: reading.missing });
  const written: string[] = [];
  for (const use of reading.found) {
    await writing(world, use.authorization, async () => {
      const block = await view.blockAt(use.blockNumber);
      if (block?.hash !== use.blockHash) return;
      await transaction(database, async (tx) => {
        await limitLockWait(tx);
        await recordUse(tx, { view, use, blockTimestamp: block.timestamp, now: world.clock.now() });
      });
      written.push(use.authorization.paymentKey);
    });
  }
  const unused = open.filter((_, index) => reading.used[index] === false);
  for (const { id } of unused) searches.delete(id);
  const sendable = await findSendable(world, unused);
  for (const authorization of unused) {
    const isUnsent = sendable.has(authorization.id);
    await writing(world, authorization, () => followUnused(world, view, { authorization, isUnsent }));
  }
  return written;
}

/** The node's state says that these were used, and its logs do not show how. Their payments stay pending until a node shows it. */
function reportMissing(
  { log, memory: { searches } }: ExactWatchWorld,
  { chainId, missing }: { chainId: number; missing: readonly ExactAuthorization[] },
): void {
  const reported = missing.filter(({ id }) => (searches.get(id)?.misses ?? 0) >= MISSES_REPORTED);
  const authorizationIds = reported.map(({ id }) => id);
  if (searches.size > MEMORY_LIMIT) searches.clear();
  if (authorizationIds.length === 0) return;
  log.error(
    { chainId, authorizationIds },
    'Used x402 authorizations have no log in any block. Their payments stay pending.',
  );
}

/**
 * The ids of unused authorizations that nothing sends, and that may be sent again. A contract determines whether its signature is valid, and
 * may accept it in simulations only. Its transfer is therefore not sent again once it has reverted in a block, but still followed.
 */
async function findSendable(world: ExactWatchWorld, unused: readonly ExactAuthorization[]): Promise<Set<string>> {
  const unsent = await findUnsent(world.database, unused);
  const sendable = new Set<string>();
  for (const authorization of unused) {
    const found = unsent.get(authorization.id);
    if (!found || authorization.status !== 'PENDING') continue;
    if (!found.hasReverted || (await isKnownAsKey(world, authorization))) sendable.add(authorization.id);
  }
  return sendable;
}

/** Whether the payer has no code. False if no node answers. */
async function isKnownAsKey(
  { nodes, log, memory: { contracts } }: ExactWatchWorld,
  { chainId, payer }: ExactAuthorization,
): Promise<boolean> {
  const name = `${chainId} ${payer}`;
  if (contracts.has(name)) return false;
  const code = await nodes
    .asking(chainId, (client) => client.getCode({ address: hex(payer) }))
    .catch((error: unknown) => {
      log.warn({ chainId, error }, 'The code of a payer could not be read and will be read again.');
      return null;
    });
  const isContract = code !== null && code !== undefined && code !== '0x';
  if (isContract && contracts.size >= MEMORY_LIMIT) contracts.clear();
  if (isContract) contracts.add(name);
  return code !== null && !isContract;
}

/** Pages of those that are pending or have expired, and whose use is not in the inbox. */
async function* openAuthorizations(
  database: Database,
  { view, page }: { view: ChainView; page: number },
): AsyncGenerator<ExactAuthorization[]> {
  const { chainId, finalized } = view;
  const kinds: Prisma.ExactAuthorizationWhereInput[] = [
    { status: 'PENDING' },
    // Until the expiry is final, a reorganization may still contain a use.
    { status: 'FAILED', failure: 'EXPIRED', validBefore: { gt: finalized.timestamp } },
  ];
  for (const kind of kinds) {
    let last: ExactAuthorization | undefined;
    do {
      const candidates = await database.exactAuthorization.findMany({
        where: { AND: [{ chainId }, kind, ...(last ? after(last) : [])] },
        orderBy: [{ validBefore: 'asc' }, { id: 'asc' }],
        take: page,
      });
      last = candidates.length < page ? undefined : candidates.at(-1);
      const open = await withoutKnown(database, { chainId, candidates });
      if (open.length > 0) yield open;
    } while (last);
  }
}

/** The first condition lets the index begin where the page before has ended. */
function after({ validBefore, id }: ExactAuthorization): Prisma.ExactAuthorizationWhereInput[] {
  return [{ validBefore: { gte: validBefore } }, { OR: [{ validBefore: { gt: validBefore } }, { id: { gt: id } }] }];
}

async function withoutKnown(
  database: Database,
  { chainId, candidates }: { chainId: number; candidates: ExactAuthorization[] },
): Promise<ExactAuthorization[]> {
  if (candidates.length === 0) return [];
  const known = await database.chainFact.findMany({
    where: { chainId, ref: { in: candidates.map(({ paymentKey }) => paymentKey) }, status: { not: 'ORPHANED' } },
    select: { ref: true },
  });
  const seen = new Set(known.map(({ ref }) => ref));
  return candidates.filter(({ paymentKey }) => !seen.has(paymentKey));
}

/** An authorization that is unused at the head is unused in every earlier block of the same chain. */
async function followUnused(
  world: ExactWatchWorld,
  view: ChainView,
  { authorization, isUnsent }: { authorization: ExactAuthorization; isUnsent: boolean },
): Promise<void> {
  const { id, validBefore, status } = authorization;
  const isExpired = view.confirmed.timestamp >= validBefore;
  if (isExpired !== (status === 'FAILED')) await setExpired(world, { view, id, isExpired });
  else if (isUnsent && status === 'PENDING' && view.head.timestamp < validBefore) await sendAgain(world, { id });
}

/** A write that fails holds up neither the others nor the chain's turn; it is made again after the next turn. */
async function writing(
  { log }: ExactWatchWorld,
  { chainId, id }: Pick<ExactAuthorization, 'chainId' | 'id'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = databaseFault(error);
    if (fault === undefined) throw error;
    log.warn({ chainId, authorizationId: id, fault }, 'The outcome of an x402 authorization could not be stored.');
  }
}
