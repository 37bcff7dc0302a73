import type { DatabaseTransaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { BoxReading } from '../../escrow/deposits/read-boxes.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { ChainLog } from '../../facts/chain-fact.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { insertLogs } from '../../facts/store.ts';
import { addJob } from '../../platform/jobs.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { finalityOf } from '../facts/finality.ts';
import { actOnDepositJob, depositKey } from '../jobs.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { DEPOSITED, type DepositWithBalances, nextLookAt } from './deposit.ts';
import { depositFacts, lockDeposit, sumMovements, tokenKeys, writeSums } from './deposit-sums.ts';
import { transferFields } from './transfer-fields.ts';

/** An index that no real log of a block has. */
const FIRST_INDEX = 1 << 30;

/**
 * Writes the balances of a deposit address at the head of `view`; `collected` is the amount that the payment has taken from it. An
 * amount that the current facts do not explain becomes a `Deposited` fact of that block. While the intent waits for its payment, a
 * deposit in the payment's own token is reported by `payment_intent.pending`. Whenever the balance has increased, the job that
 * decides about it is enqueued.
 */
export async function recordReading(
  tx: DatabaseTransaction,
  world: { registry: Registry },
  read: { view: ChainView; deposit: DepositWithBalances; reading: BoxReading; collected: bigint; now: Date },
): Promise<void> {
  const { view, deposit, reading, now } = read;
  const { chainId, termsHash } = deposit;
  const intent = await lockPayment(tx, { id: deposit.paymentIntentId, scope: null });
  await lockDeposit(tx, deposit);
  const arrived = await unexplained(tx, read);
  await insertLogs(tx, await asLogs(tx, { view, deposit, arrived }));
  const registered = tokenKeys(world.registry, chainId);
  const held = new Map(
    [...reading.balances]
      .map(([token, balance]) => [token.toLowerCase(), balance] as const)
      .filter(([token]) => registered.has(token)),
  );
  const before = new Map(deposit.balances.map((row) => [row.token, toBigInt(row.held)]));
  await writeSums(tx, world, { payment: deposit, held });
  const isNew = [...held].some(([token, balance]) => balance > 0n && balance !== (before.get(token) ?? 0n));
  await tx.depositAddress.update({
    where: { chainId_termsHash: { chainId, termsHash } },
    data: {
      lookAt: nextLookAt(deposit, now),
      seenNumber: view.head.number,
      seenHash: view.head.hash,
      ...(isNew ? { actAt: now } : {}),
    },
  });
  if (isNew) await addJob(tx, actOnDepositJob, { chainId, termsHash }, { key: depositKey(deposit) });
  const isWaitedFor = intent.status === 'CREATED' && reading.state.status === 'NONE';
  if (!isWaitedFor || !arrived.has(deposit.token)) return;
  const seen = await tx.depositAddress.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId, termsHash } },
    include: { balances: true },
  });
  await appendEvents(tx, intent.appId, [
    {
      type: 'payment_intent.pending',
      resourceId: intent.id,
      data: { ...paymentIntentFields(intent), transfer: transferFields(seen) },
      finality: finalityOf(view, view.head.number),
    },
  ]);
}

/** Returns new deposits by token, in base units: the balance, plus the collected and returned amounts, minus the recorded deposits. */
async function unexplained(
  tx: DatabaseTransaction,
  { deposit, reading, collected }: { deposit: DepositWithBalances; reading: BoxReading; collected: bigint },
): Promise<Map<string, bigint>> {
  const sums = sumMovements(await depositFacts(tx, deposit));
  const arrived = new Map<string, bigint>();
  for (const [address, balance] of reading.balances) {
    const token = address.toLowerCase();
    const { received, returned } = sums.get(token) ?? { received: 0n, returned: 0n };
    const difference = balance + (token === deposit.token ? collected : 0n) + returned - received;
    // A smaller amount than recorded means that not all facts of this block have been read yet.
    if (difference > 0n) arrived.set(token, difference);
  }
  return arrived;
}

async function asLogs(
  tx: DatabaseTransaction,
  { view, deposit, arrived }: { view: ChainView; deposit: DepositWithBalances; arrived: ReadonlyMap<string, bigint> },
): Promise<ChainLog[]> {
  if (arrived.size === 0) return [];
  const { chainId, head } = view;
  const last = await tx.chainFact.aggregate({
    where: { chainId, blockHash: head.hash, logIndex: { gte: FIRST_INDEX } },
    _max: { logIndex: true },
  });
  const first = (last._max.logIndex ?? FIRST_INDEX - 1) + 1;
  return [...arrived].map(([token, amount], index) => ({
    chainId,
    blockNumber: head.number,
    blockHash: head.hash,
    blockTimestamp: head.timestamp,
    // A balance does not show which transactions changed it.
    txHash: '',
    logIndex: first + index,
    address: deposit.address.toLowerCase(),
    kind: DEPOSITED,
    ref: deposit.termsHash,
    args: { token, amount: amount.toString() },
  }));
}
