/**
 * The indexer's record of the chains as a source of the gateway: its views and the inbox beside them, read in process. The
 * core's fields never wait for it, and these fields fail alone. See docs/gateway.md.
 */
import { buildSchema, parse } from 'graphql';
import { z } from 'zod';
import { connectionSize } from '../../api/graphql/server/connection.ts';
import type { GraphqlContext } from '../../api/graphql/server/context.ts';
import { DEFAULT_PAGE_SIZE, demandListSize } from '../../api/graphql/server/limits.ts';
import type { Config } from '../../config.ts';
import { GatewayError, invalid } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';
import { addFields, type GatewayField, type GatewaySource } from '../gateway-source.ts';
import { finalityOf } from './chain-event.ts';
import { COMPARED_BLOCKS, compareRecords } from './compare-records.ts';
import { demandFresh, printEvent, printEvents, readTogether, timeOf } from './event-lists.ts';
import { readPlace } from './event-place.ts';
import { openRecordDatabase } from './open-record-database.ts';
import { countEscrowEvents, type EscrowEventsFilter, readEscrowEvents } from './read-escrow-events.ts';
import { type ChainRecord, type EventPage, readAllowances, readPaymentEvents, readTransactionEvents } from './store.ts';
import { joinedFields, recordTypes } from './type-definitions.ts';

type Settings = Pick<Config, 'ponder' | 'chainRecord'> & { database: Pick<Config['database'], 'directUrl'> };

/** Blocks that the indexer's tables may lag behind what the gateway has read, before an approval may be missing. */
const LAG_BLOCKS = 20;
const NAMES_LIMIT = 20;
/** What an event costs of a query's complexity beside the fields that are selected of it. */
const SQL_COMPLEXITY = 5;

/** Opens nothing yet: the first question connects. */
export function openChainRecord({ log }: { log: Log }, config: Settings): GatewaySource {
  const database = openRecordDatabase({ log }, { url: config.database.directUrl });
  const { staleSeconds } = config.chainRecord;
  const record: ChainRecord = { database, views: config.ponder.schema, staleSeconds };
  const schema = buildSchema(recordTypes);
  addFields(schema, {
    Query: { escrowEvents: escrowEvents(record), chainRecordDifferences: chainRecordDifferences(record) },
    // The connection has multiplied by its size already.
    ChainEventConnection: { edges: { complexity: ONCE }, nodes: { complexity: ONCE } },
    ChainRecordComparison: { differences: { complexity: ONCE } },
  });
  const fields = {
    PaymentIntent: { chainEvents: paymentEvents(record) },
    Transaction: { chainEvents: transactionEvents(record) },
    CustomerWallet: { recordedAllowances: recordedAllowances(record) },
  };
  return {
    name: 'chain-record',
    schema,
    joins: { typeDefs: parse(joinedFields), fields },
    close: () => database.close(),
  };
}

const ONCE = { field: 1, multiplier: 1 };
const byWindow: GatewayField['complexity'] = (args) => ({ field: SQL_COMPLEXITY, multiplier: connectionSize(args) });

const windowSchema = z.object({ first: z.int().nullish(), after: z.string().nullish() });

/** The window that arguments ask for; VALIDATION_ERROR for one that there is not. */
function windowOf(args: unknown) {
  const { first, after } = windowSchema.parse(args);
  demandListSize({ first });
  return { first: first ?? DEFAULT_PAGE_SIZE, after: after == null ? null : readPlace(after) };
}

/** `read` answers the pages of all parents; those of one window are read together. */
async function pageOf<Parent extends { id: string }>(
  context: GraphqlContext,
  record: ChainRecord,
  request: {
    name: string;
    args: unknown;
    parent: Parent;
    read(window: ReturnType<typeof windowOf>, parents: Parent[]): Promise<ReadonlyMap<string, EventPage>>;
  },
) {
  const window = windowOf(request.args);
  const { after = null } = windowSchema.parse(request.args);
  const name = `${request.name} ${window.first} ${after ?? ''}`;
  const read = (parents: Parent[]) => request.read(window, parents);
  const page = await readTogether(context, name, { parent: request.parent, read });
  demandFresh(page.stale, record.staleSeconds);
  if (page.isUnread) throw new GatewayError('CHAIN_UNAVAILABLE', 'The indexer reads no chain now.');
  return printEvents(context, { ...page, after, totalCount: async () => page.total });
}

const intentSchema = z.object({ id: z.string() });

function paymentEvents(record: ChainRecord): GatewayField {
  return {
    access: ['read'],
    complexity: byWindow,
    resolve: (intent, args, context) =>
      pageOf(context, record, {
        name: 'chainEvents of payments',
        args,
        parent: intentSchema.parse(intent),
        read: (window, intents) =>
          readPaymentEvents(record, { ...window, paymentIntentIds: intents.map(({ id }) => id) }),
      }),
  };
}

const transactionSchema = z.object({
  id: z.string(),
  chainId: z.int(),
  txHash: z.string().nullable(),
  termsHash: z.string().nullable(),
});

function transactionEvents(record: ChainRecord): GatewayField {
  return {
    access: ['read'],
    complexity: byWindow,
    resolve: (transaction, args, context) => {
      const { id, chainId, txHash, termsHash } = transactionSchema.parse(transaction);
      // It is not sent, or of no payment: no event can be of it.
      if (txHash === null || termsHash === null) {
        windowOf(args);
        const { after = null } = windowSchema.parse(args);
        return printEvents(context, { events: [], hasMore: false, after, totalCount: async () => 0 });
      }
      return pageOf(context, record, {
        name: 'chainEvents of transactions',
        args,
        parent: { id, chainId, txHash, termsHash },
        read: (window, transactions) => readTransactionEvents(record, { ...window, transactions }),
      });
    },
  };
}

const walletSchema = z.object({ id: z.string(), chainId: z.int(), walletAddress: z.string() });

function recordedAllowances(record: ChainRecord): GatewayField {
  return {
    access: ['read'],
    complexity: { field: SQL_COMPLEXITY, multiplier: 4 },
    async resolve(row, _args, context) {
      const { id, chainId, walletAddress } = walletSchema.parse(row);
      const found = await readTogether(context, 'recordedAllowances', {
        parent: { id, chainId, address: walletAddress },
        read: (wallets) => readAllowances(record, { wallets }),
      });
      demandFresh(found.stale, record.staleSeconds);
      if (found.behind === null || found.behind > LAG_BLOCKS) {
        const words = found.behind === null ? 'has not read' : `is ${found.behind} blocks behind what was read of`;
        throw new GatewayError('CHAIN_UNAVAILABLE', `The indexer ${words} chain ${chainId}.`);
      }
      return found.allowances.map(({ blockTimestamp, ...allowance }) => ({
        ...allowance,
        tokenKey: context.world.registry.tokenByAddress(chainId, allowance.tokenAddress)?.key ?? null,
        approvedAt: timeOf(blockTimestamp),
        finality: finalityOf(allowance),
      }));
    },
  };
}

const filterSchema = z
  .object({
    chainId: z.int().nullish(),
    txHash: z.string().nullish(),
    termsHash: z.string().nullish(),
    names: z.array(z.string()).nullish(),
  })
  .nullish();

function escrowEvents(record: ChainRecord): GatewayField {
  return {
    access: ['operator'],
    complexity: byWindow,
    async resolve(_root, args, context) {
      const window = windowOf(args);
      const given = filterSchema.parse(args.filter);
      const filter: EscrowEventsFilter = {
        chainId: given?.chainId ?? null,
        txHash: given?.txHash ?? null,
        termsHash: given?.termsHash ?? null,
        names: given?.names ?? null,
      };
      if (filter.names !== null && filter.names.length > NAMES_LIMIT) {
        throw invalid([{ param: 'filter.names', message: `has ${filter.names.length} names, at most ${NAMES_LIMIT}` }]);
      }
      const chainIds =
        filter.chainId === null ? indexedChains(context) : [demandIndexed(context, filter.chainId, 'filter.chainId')];
      const { events, hasMore, stale } = await readEscrowEvents(record, { ...window, filter, chainIds });
      demandFresh(stale, record.staleSeconds);
      const totalCount = () => countEscrowEvents(record, filter);
      return printEvents(context, { events, hasMore, after: args.after ?? null, totalCount });
    },
  };
}

function chainRecordDifferences(record: ChainRecord): GatewayField {
  return {
    access: ['operator'],
    complexity: byWindow,
    async resolve(_root, args, context) {
      const { first } = windowOf({ first: args.first });
      const chainId = demandIndexed(context, z.int().parse(args.chainId), 'chainId');
      const span = spanOf(args);
      const found = await compareRecords(record, { chainId, ...span, first });
      demandFresh(found.stale, record.staleSeconds);
      const { fromBlock, toBlock, indexedTo, receivedTo, differences, total } = found;
      if (fromBlock === null || toBlock === null || indexedTo === null || receivedTo === null) {
        throw new GatewayError('CHAIN_UNAVAILABLE', `The indexer has not read chain ${chainId} yet.`);
      }
      return {
        chainId,
        fromBlock: String(fromBlock),
        toBlock: String(toBlock),
        indexedTo: String(indexedTo),
        receivedTo: String(receivedTo),
        differences: differences.map(({ kind, event }) => ({ kind, event: printEvent(context, event) })),
        totalCount: total,
        hasMore: total > differences.length,
      };
    },
  };
}

const BLOCK = /^(0|[1-9]\d{0,17})$/;

function spanOf(args: unknown): { fromBlock: bigint | null; toBlock: bigint | null } {
  const given = z.object({ fromBlock: z.string().nullish(), toBlock: z.string().nullish() }).parse(args);
  const faults = (['fromBlock', 'toBlock'] as const).flatMap((param) =>
    given[param] == null || BLOCK.test(given[param]) ? [] : [{ param, message: 'must be an integer string' }],
  );
  if (faults.length > 0) throw invalid(faults);
  const read = (text: string | null | undefined) => (text == null ? null : BigInt(text));
  const [fromBlock, toBlock] = [read(given.fromBlock), read(given.toBlock)];
  if (fromBlock !== null && toBlock !== null && toBlock - fromBlock >= COMPARED_BLOCKS) {
    const message = `is ${toBlock - fromBlock} blocks below toBlock, at most ${COMPARED_BLOCKS - 1n}`;
    throw invalid([{ param: 'fromBlock', message }]);
  }
  return { fromBlock, toBlock };
}

/** Chains that the indexer is to read. */
function indexedChains({ world }: GraphqlContext): number[] {
  const chains = world.registry.enabled().filter(({ family, escrow }) => family === 'EVM' && escrow);
  return chains.map(({ chainId }) => chainId);
}

function demandIndexed(context: GraphqlContext, chainId: number, param: string): number {
  if (indexedChains(context).includes(chainId)) return chainId;
  throw invalid([{ param, message: `is ${chainId}, which the indexer does not read here` }]);
}
