/** Compares the recorded totals of every deposit address with its facts, and with its balances on the chain. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChainFact, Database, Prisma } from '../../../prisma/client.ts';
import { type EvmNodes, MULTICALL3 } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { type BoxReading, readBoxes } from '../../escrow/deposits/read-boxes.ts';
import { type ChainView, newChainMemory, readChainView } from '../../facts/chain-view.ts';
import type { Clock } from '../../platform/clock.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { DEPOSITED, type DepositWithBalances, hexOf, RETURNED } from './deposit.ts';
import { type DepositSum, sumMovements, tokenKeys } from './deposit-sums.ts';
import { readCollected } from './read-collected.ts';

type World = { database: Database; registry: Registry; nodes: EvmNodes; clock: Clock };

export type DepositFault = { paymentIntentId: string; fault: string };
export type CheckedDeposits = { addresses: number; faults: DepositFault[] };

type Options = {
  appId?: string | undefined;
  /** Whether the balances on the chains are compared too. */
  withNodes: boolean;
  secondLookMs?: number | undefined;
  /** A chain that could not be read. Its addresses are still compared with their facts. */
  onFault?: ((chainId: number, error: unknown) => void) | undefined;
};

/** Addresses that are read together, so that memory does not depend on their number. */
const BATCH = 300;
const FAULTS_LIMIT = 10_000;
/** By then, the projector has processed what was pending at the first comparison, and has read the current addresses again. */
const SECOND_LOOK_MS = 5_000;
/** An address whose reading has been due for longer than this is not being read. */
const UNREAD_MS = 600_000;

/** A fault, with the address at which it was found. */
type Found = DepositFault & { chainId: number; termsHash: string };

/**
 * For each address and registered token: the recorded totals must be those of the facts, and the balance on the chain must be
 * received − collected − returned. Addresses that differ are compared a second time, and only what is wrong both times is a fault. A
 * deposit that arrived after the last reading of an old address is no fault before its next reading is due. Writes nothing.
 */
export async function checkDeposits(world: World, options: Options): Promise<CheckedDeposits> {
  const first: Found[] = [];
  const views = new Map<number, ChainView<Hex> | null>();
  let addresses = 0;
  for await (const page of depositPages(world, options)) {
    addresses += page.length;
    first.push(...(await faultsOf(world, { page, views, options })));
    if (first.length > FAULTS_LIMIT) break;
  }
  if (first.length === 0) return { addresses, faults: [] };
  await delay(options.secondLookMs ?? SECOND_LOOK_MS);
  const before = new Set(first.map(textOf));
  const again = [...new Map(first.map((one) => [`${one.chainId} ${one.termsHash}`, one])).values()];
  const later = new Map<number, ChainView<Hex> | null>();
  const faults: DepositFault[] = [];
  for (let start = 0; start < again.length; start += BATCH) {
    const page = await world.database.depositAddress.findMany({
      where: { OR: again.slice(start, start + BATCH).map(({ chainId, termsHash }) => ({ chainId, termsHash })) },
      include: { balances: true },
    });
    const second = await faultsOf(world, { page, views: later, options });
    faults.push(
      ...second
        .filter((one) => before.has(textOf(one)))
        .map(({ paymentIntentId, fault }) => ({ paymentIntentId, fault })),
    );
  }
  return { addresses, faults: faults.slice(0, FAULTS_LIMIT) };
}

async function* depositPages({ database }: World, { appId }: Options): AsyncGenerator<DepositWithBalances[]> {
  let after = { chainId: 0, termsHash: '' };
  for (;;) {
    const { chainId, termsHash } = after;
    const page: DepositWithBalances[] = await database.depositAddress.findMany({
      where: {
        OR: [{ chainId, termsHash: { gt: termsHash } }, { chainId: { gt: chainId } }],
        ...(appId === undefined ? {} : { paymentIntent: { appId } }),
      },
      orderBy: [{ chainId: 'asc' }, { termsHash: 'asc' }],
      take: BATCH,
      include: { balances: true },
    });
    if (page.length > 0) yield page;
    after = page.at(-1) ?? after;
    if (page.length < BATCH) return;
  }
}

type Request = { page: readonly DepositWithBalances[]; views: Map<number, ChainView<Hex> | null>; options: Options };

async function faultsOf(world: World, { page, views, options }: Request): Promise<Found[]> {
  const facts = await factsOf(world.database, page);
  const found: Found[] = [];
  for (const [chainId, deposits] of Map.groupBy(page, (deposit) => deposit.chainId)) {
    const readings = options.withNodes ? await readChain(world, { chainId, deposits, views, options }) : null;
    for (const deposit of deposits) {
      const sums = sumMovements(facts.get(keyOf(deposit)) ?? []);
      const reading = readings?.boxes.get(hexOf(deposit.termsHash));
      const sentences = [
        ...sumFaults(deposit, sums),
        ...(readings && reading ? await balanceFaults(world, { deposit, sums, reading, view: readings.view }) : []),
      ];
      const { termsHash, paymentIntentId } = deposit;
      found.push(...sentences.map((fault) => ({ chainId, termsHash, paymentIntentId, fault })));
    }
  }
  return found;
}

async function factsOf(
  database: Database,
  page: readonly DepositWithBalances[],
): Promise<Map<string, Pick<ChainFact, 'kind' | 'args'>[]>> {
  const rows = await database.$queryRaw<{ chainId: number; ref: string; kind: string; args: Prisma.JsonValue }[]>`
    SELECT fact.chain_id AS "chainId", fact.ref, fact.kind, fact.args
    FROM unnest(${page.map(({ chainId }) => chainId)}::int[], ${page.map(({ termsHash }) => termsHash)}::text[])
      AS deposit (chain_id, terms_hash)
    JOIN chain_fact fact ON fact.chain_id = deposit.chain_id AND fact.ref = deposit.terms_hash
    WHERE fact.kind IN (${DEPOSITED}, ${RETURNED}) AND fact.status <> 'ORPHANED'`;
  return Map.groupBy(rows, ({ chainId, ref }) => keyOf({ chainId, termsHash: ref }));
}

/** Field by field: the recorded totals, and the balance that was read last. */
function sumFaults(deposit: DepositWithBalances, sums: ReadonlyMap<string, DepositSum>): string[] {
  const faults: string[] = [];
  for (const row of deposit.balances) {
    const { received, returned } = sums.get(row.token) ?? { received: 0n, returned: 0n };
    const name = (field: string) => `${field} of ${row.tokenKey} at the deposit address ${deposit.address}`;
    if (toBigInt(row.received) !== received) {
      faults.push(`${name('received')} is ${toBigInt(row.received)} instead of ${received}.`);
    }
    if (toBigInt(row.returned) !== returned) {
      faults.push(`${name('returned')} is ${toBigInt(row.returned)} instead of ${returned}.`);
    }
    const rest = received - returned;
    const possible = row.token === deposit.token ? [rest, rest - toBigInt(deposit.amount)] : [rest];
    if (!possible.includes(toBigInt(row.held))) {
      faults.push(`${name('held')} is ${toBigInt(row.held)}, and ${received} was received and ${returned} returned.`);
    }
  }
  return faults;
}

/** The balances of the addresses of a chain and the states of their payments at its newest block; null if no node answers. */
async function readChain(
  world: World,
  {
    chainId,
    deposits,
    views,
    options,
  }: Omit<Request, 'page'> & { chainId: number; deposits: readonly DepositWithBalances[] },
): Promise<{ view: ChainView<Hex>; boxes: ReadonlyMap<Hex, BoxReading> } | null> {
  const chain = world.registry.chain(chainId);
  if (!chain?.escrow || views.get(chainId) === null) return null;
  const { escrow } = chain;
  try {
    const view = views.get(chainId) ?? (await readChainView({ nodes: world.nodes, memory: newChainMemory() }, chain));
    views.set(chainId, view);
    const boxes = deposits.map(({ termsHash, address }) => ({ id: hexOf(termsHash), address: hexOf(address) }));
    const tokens = [...tokenKeys(world.registry, chainId).keys()].map(hexOf);
    const read = await world.nodes.asking(chainId, (client) =>
      readBoxes({ client, escrow, multicall: MULTICALL3 }, { boxes, tokens, blockHash: view.head.hash }),
    );
    return { view, boxes: read.boxes };
  } catch (error) {
    views.set(chainId, null);
    options.onFault?.(chainId, error);
    return null;
  }
}

async function balanceFaults(
  world: World,
  {
    deposit,
    sums,
    reading,
    view,
  }: { deposit: DepositWithBalances; sums: ReadonlyMap<string, DepositSum>; reading: BoxReading; view: ChainView<Hex> },
): Promise<string[]> {
  const keys = tokenKeys(world.registry, deposit.chainId);
  const faults: string[] = [];
  for (const [address, balance] of reading.balances) {
    const token = address.toLowerCase();
    const { received, returned } = sums.get(token) ?? { received: 0n, returned: 0n };
    const isOwn = token === deposit.token;
    const rest = received - returned;
    const wasAuthorized = isOwn && reading.state.status !== 'NONE';
    if (balance === rest - (wasAuthorized ? toBigInt(deposit.amount) : 0n)) continue;
    // The payer may have paid these terms in another way, so that nothing was collected here.
    const collected = wasAuthorized ? await readCollected(world, view, { deposit, reading }) : 0n;
    if (collected === null || balance === rest - collected) continue;
    const more = balance - (rest - collected);
    const isRead = deposit.seenNumber !== null && deposit.seenNumber >= view.head.number;
    const isOverdue = world.clock.now().getTime() - deposit.lookAt.getTime() > UNREAD_MS;
    if (more > 0n && !isRead && !isOverdue) continue;
    const books = `${received} was received, ${collected} collected and ${returned} returned`;
    const unread = more > 0n && !isRead ? ' The address is due to be read and is not.' : '';
    faults.push(
      `balance of ${keys.get(token) ?? token} at the deposit address ${deposit.address} is ${balance}, and ${books}.${unread}`,
    );
  }
  return faults;
}

function keyOf({ chainId, termsHash }: { chainId: number; termsHash: string }): string {
  return `${chainId} ${termsHash}`;
}

function textOf({ chainId, termsHash, fault }: Found): string {
  return `${chainId} ${termsHash} ${fault}`;
}
