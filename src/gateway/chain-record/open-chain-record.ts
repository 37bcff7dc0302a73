/**
 * The indexer's record of the chains as a source of the gateway: its views and the inbox, read in this process. The core's fields never
 * wait for it, and a failure affects only these fields. See docs/gateway.md.
 */
import { buildSchema, parse } from 'graphql';
import { z } from 'zod';
import { connectionSize } from '../../api/graphql/server/connection.ts';
import type { GraphqlContext } from '../../api/graphql/server/context.ts';
import { DEFAULT_PAGE_SIZE, requireListSize } from '../../api/graphql/server/limits.ts';
import type { Config } from '../../config/config.ts';
import { type FieldFault, invalid } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';
import { addFields, type GatewayField, type GatewaySource } from '../gateway-source.ts';
import { finalityOf } from './chain-event.ts';
import { COMPARED_BLOCKS, compareRecords } from './compare-records.ts';
import {
  inTurn,
  printEvent,
  printEvents,
  readTogether,
  requireCaughtUp,
  requireFewWays,
  requireFresh,
  timeOf,
} from './event-lists.ts';
import { readPlace } from './event-place.ts';
import { openRecordDatabase } from './open-record-database.ts';
import { countEscrowEvents, type EscrowEventsFilter, readEscrowEvents } from './read-escrow-events.ts';
import { recordUnavailable } from './record-unavailable.ts';
import { type ChainRecord, type EventPage, readAllowances, readPaymentEvents, readTransactionEvents } from './store.ts';
import { joinedFields, recordTypes } from './type-definitions.ts';

type Settings = Pick<Config, 'ponder' | 'chainRecord'> & { database: Pick<Config['database'], 'directUrl'> };

const NAMES_LIMIT = 20;
/** Complexity of an event, in addition to its selected fields. */
const SQL_COMPLEXITY = 5;

/** Opens no connection. The first query connects. */
export function openChainRecord({ log }: { log: Log }, config: Settings): GatewaySource {
  const database = openRecordDatabase({ log }, { url: config.database.directUrl });
  const { staleSeconds } = config.chainRecord;
  const record: ChainRecord = { database, views: config.ponder.schema, staleSeconds };
  const schema = buildSchema(recordTypes);
  addFields(schema, {
    Query: { escrowEvents: escrowEvents(record), chainRecordDifferences: chainRecordDifferences(record) },
    // The connection's complexity already includes its size.
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

/** Parses the page arguments. Throws VALIDATION_ERROR for an invalid page. */
function windowOf(args: unknown) {
  const { first, after } = windowSchema.parse(args);
  requireListSize({ first });
  return { first: first ?? DEFAULT_PAGE_SIZE, after: after == null ? null : readPlace(after) };
}

/** Returns one page for a parent. `read` returns the pages of all parents, and parents with the same page arguments are read together. */
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
  requireFewWays(context, 'chainEvents', name);
  const read = (parents: Parent[]) => request.read(window, parents);
  const page = await readTogether(context, name, { parent: request.parent, read });
  requireFresh(page.stale, record.staleSeconds);
  if (page.isUnread) throw recordUnavailable('The indexer reads no chain now.');
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
          readPaymentEvents(record, {
            ...window,
            chainIds: enabledChains(context),
            paymentIntentIds: intents.map(({ id }) => id),
          }),
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
      // A transaction that was not sent, or belongs to no payment, has no events.
      if (txHash === null || termsHash === null) {
        windowOf(args);
        const { after = null } = windowSchema.parse(args);
        return printEvents(context, { events: [], hasMore: false, after, totalCount: async () => 0 });
      }
      const isIndexed = (context.world.registry.chain(chainId)?.family ?? 'EVM') === 'EVM';
      return pageOf(context, record, {
        name: `chainEvents of ${isIndexed ? '' : 'unindexed '}transactions`,
        args,
        parent: { id, chainId, txHash, termsHash },
        read: (window, transactions) =>
          readTransactionEvents(record, { ...window, chainIds: enabledChains(context), transactions, isIndexed }),
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
      if (!indexedChains(context).includes(chainId)) return [];
      requireFewWays(context, 'recordedAllowances', 'recordedAllowances');
      const found = await readTogether(context, 'recordedAllowances', {
        parent: { id, chainId, address: walletAddress },
        read: (wallets) => readAllowances(record, { wallets }),
      });
      requireFresh(found.stale, record.staleSeconds);
      requireCaughtUp([{ chainId, behind: found.behind }]);
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

const EVM_HASH = /^0x[0-9a-fA-F]{64}$/;
const SOLANA_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const EVENT_NAME = /^[A-Za-z]{1,40}$/;

/**
 * Returns the filter in the form in which the record stores values. Throws VALIDATION_ERROR, by field, for values that no event can have.
 */
function filterOf(args: unknown): EscrowEventsFilter & { chainId: number | null } {
  const { chainId = null, txHash = null, termsHash = null, names = null } = filterSchema.parse(args) ?? {};
  const isSignature = txHash !== null && SOLANA_SIGNATURE.test(txHash);
  const faults: FieldFault[] = [];
  if (txHash !== null && !isSignature && !EVM_HASH.test(txHash)) {
    faults.push({
      param: 'filter.txHash',
      message: 'must be 0x and 64 hex digits, or a Solana signature in base58',
    });
  }
  if (termsHash !== null && !EVM_HASH.test(termsHash)) {
    faults.push({ param: 'filter.termsHash', message: 'must be 0x and 64 hex digits' });
  }
  if (names !== null && names.length > NAMES_LIMIT) {
    faults.push({ param: 'filter.names', message: `has ${names.length} names, at most ${NAMES_LIMIT}` });
  } else if (names?.some((name) => !EVENT_NAME.test(name))) {
    faults.push({ param: 'filter.names', message: 'must be names of events, of at most 40 letters each' });
  }
  if (faults.length > 0) throw invalid(faults);
  const hash = isSignature ? txHash : txHash?.toLowerCase();
  return { chainId, txHash: hash ?? null, termsHash: termsHash?.toLowerCase() ?? null, names };
}

function escrowEvents(record: ChainRecord): GatewayField {
  return {
    access: ['operator'],
    complexity: byWindow,
    async resolve(_root, args, context) {
      const window = windowOf(args);
      const { chainId, ...filter } = filterOf(args.filter);
      const chainIds = chainId === null ? indexedChains(context) : [requireIndexed(context, chainId, 'filter.chainId')];
      requireFewWays(context, 'escrowEvents', args);
      const read = () => readEscrowEvents(record, { ...window, filter, chainIds });
      const { events, hasMore, stale, lags } = await inTurn(context, read);
      requireFresh(stale, record.staleSeconds);
      requireCaughtUp(lags);
      const totalCount = () => inTurn(context, () => countEscrowEvents(record, { filter, chainIds }));
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
      const chainId = requireIndexed(context, z.int().parse(args.chainId), 'chainId');
      const span = spanOf(args);
      requireFewWays(context, 'chainRecordDifferences', args);
      const found = await inTurn(context, () => compareRecords(record, { chainId, ...span, first }));
      requireFresh(found.stale, record.staleSeconds);
      const { fromBlock, toBlock, indexedTo, receivedTo, differences, total } = found;
      if (fromBlock === null || toBlock === null || indexedTo === null || receivedTo === null) {
        throw recordUnavailable(`The indexer has not read chain ${chainId} yet.`);
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

function enabledChains({ world }: GraphqlContext): number[] {
  return world.registry.enabled().map(({ chainId }) => chainId);
}

/** Returns the chains that the indexer is configured to read. */
function indexedChains({ world }: GraphqlContext): number[] {
  const chains = world.registry.enabled().filter(({ family, escrow }) => family === 'EVM' && escrow);
  return chains.map(({ chainId }) => chainId);
}

function requireIndexed(context: GraphqlContext, chainId: number, param: string): number {
  if (indexedChains(context).includes(chainId)) return chainId;
  throw invalid([{ param, message: `is ${chainId}, which the indexer of this installation does not read` }]);
}
