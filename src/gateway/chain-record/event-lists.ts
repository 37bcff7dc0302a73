/** What the fields of recorded events answer, from rows of the record. */
import { batched } from '../../api/graphql/server/batch.ts';
import type { GraphqlContext } from '../../api/graphql/server/context.ts';
import { GatewayError } from '../../errors.ts';
import { finalityOf, judgeEvent, type RecordedEvent } from './chain-event.ts';
import { printPlace } from './event-place.ts';
import type { EventPage, StaleChain } from './store.ts';

type EventList = Pick<EventPage, 'events' | 'hasMore'> & { after: string | null; totalCount: () => Promise<number> };

/** A ChainEventConnection. */
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

/** A ChainEvent. */
export function printEvent({ world }: GraphqlContext, event: RecordedEvent) {
  const { chainId, blockHash, txHash, logIndex, address, name, termsHash, args, indexed } = event;
  const confirmations = world.registry.chain(chainId)?.confirmations ?? null;
  return {
    ...{ chainId, blockHash, txHash, logIndex, address, name, termsHash, args, indexed },
    blockNumber: String(event.blockNumber),
    occurredAt: timeOf(event.blockTimestamp),
    received: event.status !== null,
    finality: finalityOf(event),
    ...judgeEvent(event, { confirmations }),
  };
}

export function timeOf(blockTimestamp: bigint): Date {
  return new Date(Number(blockTimestamp) * 1000);
}

/** CHAIN_UNAVAILABLE that names the chains whose record is too old. */
export function demandFresh(stale: readonly StaleChain[], limitSeconds: number): void {
  if (stale.length === 0) return;
  const ages = stale.map(({ chainId, ageSeconds }) =>
    ageSeconds === null ? `chain ${chainId} is not read` : `chain ${chainId} was last read ${ageSeconds} s ago`,
  );
  const words = `${ages.join(', ')}; the indexer's record may be ${limitSeconds} s old at most.`;
  throw new GatewayError('CHAIN_UNAVAILABLE', `${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

/**
 * What `read` finds for one parent of many: all parents of a page that ask in the same way are read by one statement.
 * `name` tells ways of asking apart.
 */
export async function readTogether<Parent extends { id: string }, Found>(
  context: GraphqlContext,
  name: string,
  { parent, read }: { parent: Parent; read: (parents: Parent[]) => Promise<ReadonlyMap<string, Found>> },
): Promise<Found> {
  const load = async (keys: string[]) => {
    const parents = keys.map((key): Parent => JSON.parse(key));
    const found = await read(parents);
    return new Map(parents.map((one, index) => [keys[index] ?? '', found.get(one.id)]));
  };
  const found = await batched(context, name, JSON.stringify(parent), load);
  if (found === undefined) throw new TypeError(`The record answers nothing for ${name} of ${parent.id}.`);
  return found;
}
