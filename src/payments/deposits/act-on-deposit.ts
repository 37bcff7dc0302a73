import type { Address } from 'viem';
import {
  type DatabaseTransaction,
  type DepositAddress,
  type OutgoingStatus,
  type PaymentTerms,
  transaction,
} from '../../../prisma/client.ts';
import { MULTICALL3 } from '../../chains/evm/nodes.ts';
import type { Token } from '../../chains/registry.ts';
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { authorizeFromDepositCall, type Call, returnDepositCall } from '../../escrow/calldata.ts';
import { readBoxes } from '../../escrow/deposits/read-boxes.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import { enqueueTransaction } from '../../operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { addJob } from '../../platform/jobs.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import type { ChainActionWorld } from '../actions/action-world.ts';
import { escrowOf } from '../actions/held-payment.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { actOnDepositJob, depositKey } from '../jobs.ts';
import type { PaymentKey } from '../payment-key.ts';
import { nextTryAt } from '../payouts/payout.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import { type DepositSituation, decideDeposit, hexOf, isCollectable } from './deposit.ts';
import { lockDeposit, tokenKeys } from './deposit-sums.ts';
import { RETURN_GAS, returnFault } from './return-fault.ts';
import { returnMinimum } from './return-minimum.ts';

export type DepositWorld = ChainActionWorld & { config: Pick<Config, 'rpc'>; prices: Pick<PriceBook, 'usdPrice'> };

/**
 * The wait after a return that failed in its block, doubled with each failure: a payer's contract that passes the simulation and reverts in
 * the block must not use up the operator's gas. After `authorizeBy`, anyone can return the deposit in the meantime.
 */
const AFTER_FAILURE_MS = 3_600_000;
const MOST_DOUBLINGS = 9;
/** A queued relay has usually been mined by then. If it has failed, the decision is made again. */
const UNDER_WAY_SECONDS = 60;
/** Time in which a reorganization is processed, or another authorization of the intent is mined. */
const WAIT_SECONDS = 15;

/**
 * Decides about the balance of a deposit address at the chain's newest block: queues the authorization of a payment that was sent
 * in time, or the return of money that is not part of it, and schedules itself again while anything is due. The contract allows
 * each authorization only once and pays returns only to the payer, so that a repeated run moves nothing twice. Throws
 * CHAIN_UNAVAILABLE.
 */
export async function actOnDeposit(world: DepositWorld, { chainId, termsHash }: PaymentKey): Promise<void> {
  const key = { chainId, termsHash };
  const where = { chainId_termsHash: key };
  const deposit = await world.database.depositAddress.findUnique({ where });
  if (!deposit) return;
  const signed = await world.database.paymentTerms.findUniqueOrThrow({ where });
  const reading = await readDeposit(world, { deposit, signed });
  const { situation } = reading;
  const returns = await orderReturns(world, reading);
  await transaction(world.database, async (tx) => {
    const intent = await lockPayment(tx, { id: deposit.paymentIntentId, scope: null });
    await lockDeposit(tx, key);
    const own = decideDeposit({ ...situation, intent });
    const due: number[] = [];
    if (own === 'AUTHORIZE') due.push(await authorize(tx, { deposit, call: reading.authorization }));
    if (own === 'WAIT') due.push(WAIT_SECONDS);
    if (own === 'WAIT_UNTIL_LATE') due.push(situation.authorizeBy + 1 - situation.time);
    let stuckReason: string | null = null;
    for (const order of returns) {
      if (order.isOwn && own !== 'RETURN') continue;
      stuckReason ??= order.fault;
      if (order.fault !== null) continue;
      const { isWaiting, failures } = await queueReturn(tx, { deposit, order, now: world.clock.now() });
      if (!isWaiting) due.push(UNDER_WAY_SECONDS);
      if (failures > 0)
        stuckReason ??= `${failures} returns have failed in their blocks, though each passed its simulation.`;
    }
    await schedule(tx, world, { deposit, stuckReason, seconds: due });
  });
}

type Reading = {
  deposit: DepositAddress;
  signed: PaymentTerms;
  escrow: Address;
  situation: Omit<DepositSituation, 'intent'>;
  balances: ReadonlyMap<Address, bigint>;
  authorization: Call;
};

async function readDeposit(
  world: DepositWorld,
  { deposit, signed }: { deposit: DepositAddress; signed: PaymentTerms },
): Promise<Reading> {
  const { chainId, termsHash } = deposit;
  const { escrow } = escrowOf(world.registry, chainId);
  const terms = termsFromJson(signed.terms);
  const box = { id: hexOf(termsHash), address: hexOf(deposit.address) };
  const tokens = [...tokenKeys(world.registry, chainId).keys()].map(hexOf);
  const read = await world.nodes.asking(chainId, (client) =>
    readBoxes({ client, escrow, multicall: MULTICALL3 }, { boxes: [box], tokens }),
  );
  const found = read.boxes.get(box.id);
  if (!found) throw new GatewayError('CHAIN_UNAVAILABLE', `The state of payment ${termsHash} was not returned.`);
  const held = [...found.balances].find(([token]) => token === deposit.token)?.[1] ?? 0n;
  const { amount, authorizeBy } = terms;
  return {
    deposit,
    signed,
    escrow,
    situation: {
      payment: { chainId, termsHash },
      amount,
      authorizeBy,
      status: found.state.status,
      time: read.timestamp,
      held,
    },
    balances: found.balances,
    authorization: authorizeFromDepositCall({ escrow, terms, operatorSignature: hexOf(signed.operatorSignature) }),
  };
}

/** `fault` is the reason why a return would fail at present, so that no gas is wasted. */
type ReturnOrder = { token: Address; isOwn: boolean; sender: string; call: Call; fault: string | null };

/** The balances above their minimums. Whether the terms' own token is returned is decided under the intent's lock. */
async function orderReturns(world: DepositWorld, reading: Reading): Promise<ReturnOrder[]> {
  const { deposit, signed, escrow, situation } = reading;
  const terms = termsFromJson(signed.terms);
  const keys = tokenKeys(world.registry, deposit.chainId);
  // Until the payment cannot be authorized any more, the contract lets only the operator return what may pay it.
  const sender = isCollectable(situation) ? world.operator.address : RELAY_SENDER;
  const orders: ReturnOrder[] = [];
  for (const [token, balance] of reading.balances) {
    const registered = world.registry.token(keys.get(token.toLowerCase()) ?? '');
    if (!registered || balance === 0n) continue;
    const minimum = await minimumOf(world, registered);
    if (minimum !== null && balance < minimum) continue;
    const isOwn = token === deposit.token;
    const call = returnDepositCall({ escrow, terms, token });
    const fault =
      minimum === null
        ? NO_PRICE
        : await returnFault(world, { chainId: deposit.chainId, call, sender: world.operator.address });
    orders.push({ token, isOwn, sender, call, fault });
  }
  return orders;
}

const NO_PRICE = 'No current price of the token is available to compute its minimum.';

/** Null without a price. A payment that is sent in time is collected regardless. */
async function minimumOf(world: DepositWorld, token: Token): Promise<bigint | null> {
  try {
    return await returnMinimum(world, token);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'PRICE_UNAVAILABLE') return null;
    throw error;
  }
}

/** Queues the authorization unless another one of the intent is pending. Returns the seconds until the next decision. */
async function authorize(
  tx: DatabaseTransaction,
  { deposit, call }: { deposit: DepositAddress; call: Call },
): Promise<number> {
  const { paymentIntentId, chainId, termsHash, amount } = deposit;
  const open = await tx.transaction.findMany({
    where: { paymentIntentId, type: 'AUTHORIZE', status: { in: ['PENDING', 'REORGED'] } },
    select: { id: true, status: true },
  });
  const sent = await tx.outgoingTransaction.count({
    where: { transactionId: { in: open.map(({ id }) => id) }, status: { notIn: ['FAILED', 'CANCELLED'] } },
  });
  if (open.some(({ status }) => status === 'PENDING') || sent > 0) return WAIT_SECONDS;
  await requestTransaction(tx, {
    paymentIntentId,
    chainId,
    termsHash,
    type: 'AUTHORIZE',
    call,
    amount: BigInt(amount.toFixed()),
    sender: RELAY_SENDER,
  });
  // An earlier relay of this deposit may have failed, which does not concern the payer.
  await tx.checkoutSession.updateMany({
    where: { paymentIntentId, status: 'OPEN', lastErrorCode: 'RELAY_FAILED' },
    data: { lastErrorCode: null, lastErrorMessage: null },
  });
  return UNDER_WAY_SECONDS;
}

/**
 * Queues a return unless the outcome of one of this token is not known yet. `failures` is how many have failed; `isWaiting` says that
 * the next one is not due yet for that reason.
 */
async function queueReturn(
  tx: DatabaseTransaction,
  { deposit, order, now }: { deposit: DepositAddress; order: ReturnOrder; now: Date },
): Promise<{ isWaiting: boolean; failures: number }> {
  const { chainId, termsHash, stuckSince } = deposit;
  const prefix = `return-deposit:${chainId}:${termsHash}:${order.token.toLowerCase()}:`;
  const earlier = await tx.outgoingTransaction.findMany({
    where: { purpose: { startsWith: prefix } },
    orderBy: { createdAt: 'asc' },
    select: { status: true },
  });
  const failures = earlier.filter(({ status }) => status === 'FAILED').length;
  if (earlier.some(({ status }) => isUnderWay(status))) return { isWaiting: false, failures };
  const dueAfter = AFTER_FAILURE_MS * (2 ** Math.min(failures, MOST_DOUBLINGS) - 1);
  if (failures > 0 && (stuckSince === null || now.getTime() - stuckSince.getTime() < dueAfter)) {
    return { isWaiting: true, failures };
  }
  await enqueueTransaction(tx, {
    chainId,
    sender: order.sender,
    to: order.call.to,
    data: order.call.data,
    purpose: `${prefix}${earlier.length}`,
    maxFailures: 1,
    maxGas: RETURN_GAS,
  });
  return { isWaiting: false, failures };
}

/** A mined one may have reverted, which is known at the chain's required depth. */
function isUnderWay(status: OutgoingStatus): boolean {
  return status === 'QUEUED' || status === 'SIGNED' || status === 'SENT' || status === 'MINED';
}

/** Schedules the next decision, unless one was scheduled since this one began. */
async function schedule(
  tx: DatabaseTransaction,
  { clock }: DepositWorld,
  request: { deposit: DepositAddress; stuckReason: string | null; seconds: readonly number[] },
): Promise<void> {
  const { deposit, stuckReason, seconds } = request;
  const { chainId, termsHash } = deposit;
  const now = clock.now();
  const stuckSince = stuckReason === null ? null : (deposit.stuckSince ?? now);
  const due = [
    ...seconds.map((wait) => now.getTime() + Math.max(1, wait) * 1000),
    ...(stuckSince === null ? [] : [nextTryAt(stuckSince, now).getTime()]),
  ];
  const actAt = due.length === 0 ? null : new Date(Math.min(...due));
  const scheduled = await tx.depositAddress.updateMany({
    where: { chainId, termsHash, actAt: deposit.actAt },
    data: { actAt, stuckReason, stuckSince },
  });
  if (scheduled.count === 0 || actAt === null) return;
  await addJob(tx, actOnDepositJob, { chainId, termsHash }, { runAt: actAt, key: depositKey(deposit) });
}
