import type { ChainFact, DepositAddress, OutgoingTransaction, PaymentIntent } from '../../prisma/client.ts';
import type { OperationsWorld } from './operations-world.ts';

export type Stuck = {
  kind: string;
  id: string;
  state: string;
  what: string;
  since: string;
  error: string | null;
  /** What to do, in one sentence. */
  do: string;
};

const ROWS = 200;
const MINUTE_MS = 60_000;

/**
 * Returns what should have progressed by itself `minutes` ago and has not: at most 200 of each kind. Transactions and intents are listed
 * oldest first.
 */
export async function readStuck(
  { database, clock }: Pick<OperationsWorld, 'database' | 'clock'>,
  minutes: number,
): Promise<Stuck[]> {
  const before = new Date(clock.now().getTime() - minutes * MINUTE_MS);
  const outgoing = await database.outgoingTransaction.findMany({
    where: { status: { in: ['QUEUED', 'SIGNED', 'SENT'] }, createdAt: { lt: before } },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  const intents = await database.paymentIntent.findMany({
    where: {
      OR: [
        { status: 'CREATED', expiresAt: { lt: before } },
        { status: 'CAPTURED', timelockEndsAt: { lt: before }, dispute: { isNot: { status: 'OPEN' } } },
        { status: 'REFUND_PENDING', updatedAt: { lt: before } },
      ],
    },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  // The literals of the index `chain_fact_open_idx`, so that the planner recognizes it.
  const facts = await database.$queryRaw<StuckFact[]>`
    SELECT chain_id AS "chainId", ref, tx_hash AS "txHash", status::text AS status, kind, block_number AS "blockNumber", seen_at AS "seenAt"
    FROM chain_fact WHERE status = 'CONFIRMED' AND applied_at IS NULL AND seen_at < ${before} LIMIT ${ROWS}`;
  const deposits = await database.depositAddress.findMany({
    where: { OR: [{ stuckSince: { not: null } }, { actAt: { lt: before } }] },
    orderBy: { actAt: 'asc' },
    take: ROWS,
  });
  return [
    ...outgoing.map(stuckTransaction),
    ...intents.map(stuckIntent),
    ...facts.map(stuckFact),
    ...deposits.map(stuckDeposit),
  ];
}

function stuckTransaction(row: OutgoingTransaction): Stuck {
  return {
    kind: 'transaction',
    id: row.id,
    state: row.status,
    what: row.purpose,
    since: row.createdAt.toISOString(),
    error: row.error,
    do: sendingAdvice(row),
  };
}

function stuckIntent(intent: PaymentIntent): Stuck {
  return {
    kind: 'payment intent',
    id: intent.id,
    state: intent.status,
    what: 'should have advanced to its next state',
    since: (intent.timelockEndsAt ?? intent.expiresAt ?? intent.updatedAt).toISOString(),
    error: null,
    do: `Run: npm run ops -- sweep. If the state does not change, run: npm run verify -- ${intent.id}`,
  };
}

type StuckFact = Pick<ChainFact, 'chainId' | 'ref' | 'txHash' | 'status' | 'kind' | 'blockNumber' | 'seenAt'>;

function stuckFact(fact: StuckFact): Stuck {
  return {
    kind: 'fact',
    id: fact.ref ?? fact.txHash,
    state: fact.status,
    what: `${fact.kind} of chain ${fact.chainId}, block ${fact.blockNumber}`,
    since: fact.seenAt.toISOString(),
    error: null,
    do: `Check whether the node of chain ${fact.chainId} responds (npm run ops -- lag), and read the indexer's log.`,
  };
}

function stuckDeposit(deposit: DepositAddress): Stuck {
  const { address, chainId, refundAddress, stuckSince } = deposit;
  const row = { kind: 'deposit', id: deposit.paymentIntentId, error: deposit.stuckReason };
  const since = (stuckSince ?? deposit.actAt ?? deposit.createdAt).toISOString();
  if (stuckSince === null) {
    return {
      ...row,
      since,
      state: 'DUE',
      what: `funds at the deposit address ${address} of chain ${chainId} are waiting to be collected or returned`,
      do: 'Check that a worker runs and that its log shows no errors for this address, and run: npm run ops -- sweep',
    };
  }
  return {
    ...row,
    since,
    state: 'RETURN_FAILS',
    what: `the return from the deposit address ${address} of chain ${chainId} to ${refundAddress} fails`,
    do: 'Fix the cause named in the error, or contact the payer or the issuer of the token; the return is retried automatically at least every 6 hours.',
  };
}

function sendingAdvice({ id, chainId, status, waitsFor, error }: OutgoingTransaction): string {
  if (waitsFor === 'GAS')
    return `Send the native coin of chain ${chainId} to the key; waiting transactions are then sent automatically.`;
  const giveUp = `npm run ops -- transaction abandon --id ${id} --reason <words>`;
  if (status !== 'QUEUED')
    return `Raise MAX_FEE_PER_GAS_WEI_${chainId} if fees exceed it, or abandon the transaction: ${giveUp}`;
  if (error !== null) return `Fix the cause named in the error, or abandon the transaction: ${giveUp}`;
  return `Check that a worker runs with this key and that fees are below MAX_FEE_PER_GAS_WEI_${chainId}.`;
}
