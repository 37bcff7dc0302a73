import type { Hex } from 'viem';
import { type Database, transaction } from '../../../prisma/client.ts';
import { evmBlockHash } from '../../chains/evm/evm-block-hash.ts';
import { type EvmNodes, MULTICALL3 } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { type BoxReading, readBoxes } from '../../escrow/deposits/read-boxes.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { limitLockWait } from '../../facts/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { databaseFault } from '../../platform/database/database-fault.ts';
import type { Log } from '../../platform/log.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { currentSince, type DepositWithBalances, hexOf, nextLookAt } from './deposit.ts';
import { depositFacts, tokenKeys } from './deposit-sums.ts';
import { readCollected } from './read-collected.ts';
import { recordReading } from './record-reading.ts';

export type WatchWorld = { database: Database; registry: Registry; nodes: EvmNodes; clock: Clock; log: Log };

/** Maximum number of payable addresses that one turn reads. Those that have waited longest are read first. */
const AT_ONCE = 1_000;
/** The old addresses that one turn reads besides, so that many of them never hold up a payment. */
const OLD_AT_ONCE = 200;

/**
 * Reads the deposit addresses of a chain that are due, at the hash of its newest block and with as few calls as possible, and writes
 * new deposits to the inbox. Called by the projector after each turn. Idempotent, because a deposit is the difference between the
 * balance and the current facts. If a node fails, the addresses are read again after the next turn.
 */
export async function watchDeposits(world: WatchWorld, view: ChainView): Promise<void> {
  const { database, registry, nodes, clock, log } = world;
  const { chainId, head } = view;
  const escrow = registry.chain(chainId)?.escrow;
  if (!escrow) return;
  const now = clock.now();
  const due = await findDue(database, { chainId, headHash: head.hash, now });
  if (due.length === 0) return;
  const boxes = due.map(({ termsHash, address }) => ({ id: hexOf(termsHash), address: hexOf(address) }));
  const tokens = [...tokenKeys(registry, chainId).keys()].map(hexOf);
  const blockHash = evmBlockHash(head.hash);
  const reading = await nodes
    .asking(chainId, (client) => readBoxes({ client, escrow, multicall: MULTICALL3 }, { boxes, tokens, blockHash }))
    .catch((error: unknown) => {
      log.warn({ chainId, error }, 'The deposit addresses of a chain could not be read and will be read again.');
      return null;
    });
  if (!reading) return;
  const quiet: DepositWithBalances[] = [];
  for (const deposit of due) {
    const found = reading.boxes.get(hexOf(deposit.termsHash));
    if (!found) continue;
    if (isExplained(deposit, found)) quiet.push(deposit);
    else {
      const collected = await readCollected(world, view, { deposit, reading: found });
      if (collected === null || !(await isOfChain(database, view, deposit))) continue;
      await record(world, view, { deposit, reading: found, collected, now });
    }
  }
  await markRead(database, { view, deposits: quiet, now });
}

async function findDue(
  database: Database,
  { chainId, headHash, now }: { chainId: number; headHash: string; now: Date },
): Promise<DepositWithBalances[]> {
  const read = (authorizeBy: { gte: Date } | { lt: Date }, take: number) =>
    database.depositAddress.findMany({
      where: {
        chainId,
        authorizeBy,
        lookAt: { lte: now },
        OR: [{ seenHash: null }, { seenHash: { not: headHash } }],
      },
      orderBy: { lookAt: 'asc' },
      take,
      include: { balances: true },
    });
  const current = currentSince(now);
  return [...(await read({ gte: current }, AT_ONCE)), ...(await read({ lt: current }, OLD_AT_ONCE))];
}

/** Whether the balances are unchanged and consistent with the totals of the facts, so that nothing has to be written. */
function isExplained(deposit: DepositWithBalances, { state, balances }: BoxReading): boolean {
  // The address was read before, and only the chain's height has changed since.
  if (deposit.seenHash === null) return false;
  const known = new Map(deposit.balances.map((row) => [row.token, row]));
  for (const [token, balance] of balances) {
    const row = known.get(token.toLowerCase());
    if (!row && balance > 0n) return false;
    if (!row) continue;
    const rest = toBigInt(row.received) - toBigInt(row.returned) - balance;
    const mayBeCollected = token === deposit.token && state.status !== 'NONE' && rest === toBigInt(deposit.amount);
    if (toBigInt(row.held) !== balance || (rest !== 0n && !mayBeCollected)) return false;
  }
  return true;
}

/** Whether every fact of the address is in this view's chain. Otherwise a fact will be orphaned, and must not be counted until then. */
async function isOfChain(database: Database, view: ChainView, deposit: DepositWithBalances): Promise<boolean> {
  for (const fact of await depositFacts(database, deposit)) {
    if (fact.status === 'FINAL') continue;
    if (fact.blockNumber > view.head.number) return false;
    if ((await view.blockAt(fact.blockNumber))?.hash !== fact.blockHash) return false;
  }
  return true;
}

async function record(
  world: WatchWorld,
  view: ChainView,
  read: { deposit: DepositWithBalances; reading: BoxReading; collected: bigint; now: Date },
): Promise<void> {
  try {
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await recordReading(tx, world, { view, ...read });
    });
  } catch (error) {
    const fault = databaseFault(error);
    if (fault === undefined) throw error;
    // It stays due, and holds up neither the others nor the chain's turn.
    const { chainId, termsHash } = read.deposit;
    world.log.warn(
      { chainId, termsHash, fault },
      'The balance of a deposit address could not be stored. It will be read again.',
    );
  }
}

async function markRead(
  database: Database,
  { view, deposits, now }: { view: ChainView; deposits: readonly DepositWithBalances[]; now: Date },
): Promise<void> {
  const byNext = Map.groupBy(deposits, (deposit) => nextLookAt(deposit, now).getTime());
  for (const [next, group] of byNext) {
    const ids = group.map(({ termsHash }) => termsHash as Hex);
    await database.depositAddress.updateMany({
      // An address that was scheduled to be read at once in the meantime stays due.
      where: { chainId: view.chainId, termsHash: { in: ids }, lookAt: { lte: now } },
      data: { lookAt: new Date(next), seenNumber: view.head.number, seenHash: view.head.hash },
    });
  }
}
