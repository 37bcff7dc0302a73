/** The Transaction type: a step of a payment on its chain, with what is known of it there. */
import type { ChainFact } from '../../../../prisma/client.ts';
import { placeKey, readHeads, readPlaceKey, readTransactionFacts } from '../../../payments/store.ts';
import { batched } from '../server/batch.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { GasCostRef } from './gas-cost.ts';

const TransactionTypeEnum = builder.enumType('TransactionType', {
  description: 'What a transaction does with the funds.',
  values: {
    AUTHORIZE: { value: 'AUTHORIZE', description: 'Moves funds from the payer into escrow.' },
    CAPTURE: { value: 'CAPTURE', description: 'Captures funds for the merchant. They stay in escrow.' },
    SETTLE: { value: 'SETTLE', description: 'Pays the merchant and the fee recipient.' },
    VOID: { value: 'VOID', description: 'Returns an authorized payment to the payer. Sent by the operator.' },
    RECLAIM: {
      value: 'RECLAIM',
      description: 'Returns an authorized payment to the payer, after the capture deadline.',
    },
    REFUND: { value: 'REFUND', description: 'Returns captured funds to the payer, in whole or in part.' },
    DISPUTE: { value: 'DISPUTE', description: 'Opens a dispute, which stops settlement.' },
    RESOLVE: { value: 'RESOLVE', description: 'Resolves a dispute.' },
  } as const,
});

const TransactionStatusEnum = builder.enumType('TransactionStatus', {
  description: 'Status of a transaction.',
  values: {
    PENDING: {
      value: 'PENDING',
      description: 'The transaction is queued, sent, or seen without the required confirmations.',
    },
    CONFIRMED: { value: 'CONFIRMED', description: 'Confirmed.' },
    FAILED: { value: 'FAILED', description: 'The transaction reverted or was abandoned.' },
    REORGED: { value: 'REORGED', description: 'Its block is no longer in the chain.' },
  } as const,
});

const FactFinalityEnum = builder.enumType('FactFinality', {
  description: 'Finality of an event on a chain.',
  values: {
    SEEN: { value: 'SEEN', description: 'The event is in a block that does not have the required confirmations yet.' },
    CONFIRMED: { value: 'CONFIRMED', description: 'The block has the required number of confirmations.' },
    FINAL: { value: 'FINAL', description: "The block is final by the chain's own rules." },
  } as const,
});

const ChainLogRef = builder.objectRef<ChainFact>('ChainLog').implement({
  description: 'A log of the escrow contract.',
  fields: (t) => ({
    name: t.exposeString('kind', { description: 'Name of the event, such as Authorized.' }),
    logIndex: t.exposeInt('logIndex', { description: 'Index of the log in its block.' }),
    address: t.expose('address', { type: 'Address', description: 'The contract.' }),
    args: t.expose('args', {
      type: 'JSONObject',
      description: 'Decoded arguments of the event. Integers are strings.',
    }),
  }),
});

const TransactionBlockRef = builder.objectRef<{ number: bigint; hash: string | null }>('TransactionBlock').implement({
  description: 'A block of a chain.',
  fields: (t) => ({
    number: t.string({
      description: 'Number of the block, as an integer string.',
      resolve: ({ number }) => number.toString(),
    }),
    hash: t.exposeString('hash', { nullable: true, description: 'The transaction hash. Null if none is known.' }),
  }),
});

export const TransactionRef = builder.prismaObject('Transaction', {
  description: 'An on-chain transaction of a payment, sent by this installation or by anyone else.',
  select: {
    id: true,
    chainId: true,
    termsHash: true,
    txHash: true,
    blockNumber: true,
    logIndex: true,
    createdAt: true,
  },
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The payment.' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    type: t.expose('type', { type: TransactionTypeEnum, description: 'What the transaction does.' }),
    status: t.expose('status', { type: TransactionStatusEnum, description: 'Current status.' }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'Hash of the transaction. Null until it is sent.',
    }),
    block: t.field({
      type: TransactionBlockRef,
      nullable: true,
      description: 'The block that contains the transaction. Null until it is in a block.',
      select: { blockNumber: true, blockHash: true },
      resolve: ({ blockNumber, blockHash }) => (blockNumber === null ? null : { number: blockNumber, hash: blockHash }),
    }),
    blockNumber: t.string({
      nullable: true,
      description: 'Number of the block that contains the transaction, as an integer string.',
      resolve: (transaction) => transaction.blockNumber?.toString() ?? null,
    }),
    blockHash: t.exposeString('blockHash', {
      extensions: { rest: false },
      nullable: true,
      description: 'Hash of that block.',
    }),
    amount: t.expose('amount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount that it moves, in base units.',
    }),
    gasUsed: t.string({
      nullable: true,
      description: 'Gas used, as an integer string. For a call in a batch, its share of the gas.',
      select: { gasUsed: true },
      resolve: (transaction) => transaction.gasUsed?.toString() ?? null,
    }),
    gasCost: t.field({
      extensions: { rest: true },
      type: GasCostRef,
      nullable: true,
      description:
        'What this installation paid for its gas, even if it failed. Null before the transaction is confirmed, if someone else sent it, and on Solana.',
      select: { gasCostWei: true, gasCostUsd: true },
      resolve: ({ chainId, gasCostWei, gasCostUsd }, _args, { world }) => {
        const coin = world.registry.chain(chainId)?.native;
        return gasCostWei === null || !coin ? null : { coin, wei: gasCostWei, usd: gasCostUsd };
      },
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued or first seen.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it had the required confirmations.',
    }),
    confirmations: t.int({
      extensions: { rest: false },
      nullable: true,
      description:
        'Number of confirmations, counting its own block, when the gateway last read the chain. Null until it is in a block.',
      resolve: async (transaction, _args, context) => {
        if (transaction.blockNumber === null) return null;
        const head = await batched(context, 'heads', String(transaction.chainId), () =>
          readHeads(context.world.database),
        );
        return head === undefined ? null : Math.max(0, Number(head - transaction.blockNumber) + 1);
      },
    }),
    finality: t.field({
      extensions: { rest: false },
      type: FactFinalityEnum,
      nullable: true,
      description: 'Finality of its log. Null until it is in a block.',
      resolve: async (transaction, _args, context) => {
        const facts = await factsOf(context, transaction);
        const fact = facts.find(({ logIndex }) => logIndex === transaction.logIndex) ?? facts[0];
        return fact === undefined || fact.status === 'ORPHANED' ? null : fact.status;
      },
    }),
    logs: t.field({
      type: [ChainLogRef],
      complexity: { field: 1, multiplier: 2 },
      description: 'Logs of the escrow contract in the transaction.',
      resolve: (transaction, _args, context) => factsOf(context, transaction),
    }),
  }),
});

async function factsOf(
  context: GraphqlContext,
  transaction: { chainId: number; termsHash: string | null; txHash: string | null },
): Promise<ChainFact[]> {
  const { chainId, termsHash, txHash } = transaction;
  if (txHash === null || termsHash === null) return [];
  const key = placeKey({ chainId, termsHash, txHash });
  const read = (keys: string[]) => readTransactionFacts(context.world.database, keys.map(readPlaceKey));
  return (await batched(context, 'transactionFacts', key, read)) ?? [];
}
