/** Converts rows of the record to the results of the event fields. */
import { batched } from '../../api/graphql/server/batch.ts';
import type { GraphqlContext } from '../../api/graphql/server/context.ts';
import { invalid } from '../../errors.ts';
import { evaluateEvent, finalityOf, type RecordedEvent } from './chain-event.ts';
import { printPlace } from './event-place.ts';
import type { ChainLag } from './read-escrow-events.ts';
import { recordUnavailable } from './record-unavailable.ts';
import type { EventPage, StaleChain } from './store.ts';

type EventList = Pick<EventPage, 'events' | 'hasMore'> & { after: string | null; totalCount: () => Promise<number> };

/** Builds a ChainEventConnection. */
export function printEvents(context: GraphqlContext, { events, hasMore, after, totalCount }: EventList) {
  const edges = events.map((event) => ({ cursor: printPlace(event), node: printEvent(context, event) }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: hasMore,
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  };
}

/** Builds a ChainEvent. */
export function printEvent({ world }: GraphqlContext, event: RecordedEvent) {
  const { chainId, blockHash, txHash, logIndex, address, name, termsHash, args, indexed } = event;
  const confirmations = world.registry.chain(chainId)?.confirmations ?? null;
  return {
    ...{ chainId, blockHash, txHash, logIndex, address, name, termsHash, args, indexed },
    blockNumber: String(event.blockNumber),
    occurredAt: timeOf(event.blockTimestamp),
    received: event.status !== null,
    finality: finalityOf(event),
    ...evaluateEvent(event, { confirmations }),
  };
}

export function timeOf(blockTimestamp: bigint): Date {
  return new Date(Number(blockTimestamp) * 1000);
}

/** Throws CHAIN_UNAVAILABLE, naming the chains whose record is out of date. */
export function requireFresh(stale: readonly StaleChain[], limitSeconds: number): void {
  if (stale.length === 0) return;
  const ages = stale.map(({ chainId, ageSeconds }) =>
    ageSeconds === null ? `chain ${chainId} is not read` : `chain ${chainId} was last read ${ageSeconds} s ago`,
  );
  const words = `${ages.join(', ')}; the indexer's record may be ${limitSeconds} s old at most.`;
  throw recordUnavailable(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

/** Number of blocks by which the indexer's tables may lag behind the gateway. Beyond that, an event may be missing. */
const LAG_BLOCKS = 20;

/** Throws CHAIN_UNAVAILABLE, naming a chain on which the indexer has fallen behind the gateway or has read nothing. */
export function requireCaughtUp(lags: readonly ChainLag[]): void {
  for (const { chainId, behind } of lags) {
    if (behind !== null && behind <= LAG_BLOCKS) continue;
    const words = behind === null ? 'has not read' : `is ${behind} blocks behind what was read of`;
    throw recordUnavailable(`The indexer ${words} chain ${chainId}.`);
  }
}

/** Number of different sets of arguments with which one operation may read the record. Each set takes one statement. */
const WAYS_LIMIT = 10;

type Asked = { ways: Set<unknown>; last: Promise<unknown> };
const operations = new WeakMap<GraphqlContext, Asked>();

function askedOf(context: GraphqlContext): Asked {
  const asked = operations.get(context) ?? { ways: new Set(), last: Promise.resolve() };
  operations.set(context, asked);
  return asked;
}

/**
 * Throws VALIDATION_ERROR for `field` if one operation reads the record in too many ways. Reads of the same `way` are batched, so that a
 * page costs no more than one payment does. Equal strings name the same way, and each object is a way of its own.
 */
export function requireFewWays(context: GraphqlContext, field: string, way: unknown): void {
  const { ways } = askedOf(context);
  ways.add(way);
  if (ways.size <= WAYS_LIMIT) return;
  const message = `is requested too often: one operation may read the record with ${WAYS_LIMIT} different sets of arguments at most`;
  throw invalid([{ param: field, message }]);
}

/** Runs the statements of one operation sequentially, so that it never holds more than one of the record's few connections. */
export function inTurn<Found>(context: GraphqlContext, run: () => Promise<Found>): Promise<Found> {
  const asked = askedOf(context);
  const found = asked.last.then(run);
  asked.last = found.catch(() => undefined);
  return found;
}

/**
 * Returns what `read` finds for one parent. All parents of a page with the same query are read by one statement. `name` distinguishes
 * queries with different arguments.
 */
export async function readTogether<Parent extends { id: string }, Found>(
  context: GraphqlContext,
  name: string,
  { parent, read }: { parent: Parent; read: (parents: Parent[]) => Promise<ReadonlyMap<string, Found>> },
): Promise<Found> {
  const load = async (keys: string[]) => {
    const parents = keys.map((key): Parent => JSON.parse(key));
    const found = await inTurn(context, () => read(parents));
    return new Map(parents.map((one, index) => [keys[index] ?? '', found.get(one.id)]));
  };
  const found = await batched(context, name, JSON.stringify(parent), load);
  if (found === undefined) throw new TypeError(`The record returned no result for ${name} of ${parent.id}.`);
  return found;
}
