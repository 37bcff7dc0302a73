import { type Address, isAddress } from 'viem';
import { type CreditedPayout, transaction } from '../../../prisma/client.ts';
import { callFault } from '../../chains/evm/classify-answer.ts';
import { claimForCall } from '../../escrow/calldata.ts';
import { enqueueTransaction, type NewOutgoing } from '../../operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { addJob } from '../../platform/jobs.ts';
import type { ChainActionWorld } from '../actions/action-world.ts';
import { escrowOf } from '../actions/held-payment.ts';
import { deliverPayoutsJob } from '../jobs.ts';
import { claimPurpose, claimsUnderWay, type Recipient, recipientKey, unminedClaim } from './claims-under-way.ts';
import { orderKeptShares } from './order-kept-shares.ts';
import { nextTryAt } from './payout.ts';

/** The maximum gas of a claim: a recipient of the native coin decides how much its code uses, and the installation pays for it. */
const CLAIM_GAS = 1_000_000n;

/** The job key of a recipient and token, whose payouts share one job. */
export function deliveryKey(recipient: Recipient): string {
  return `deliver:${recipientKey(recipient)}`;
}

/**
 * Delivers what the escrow credited to a recipient in a token when it is due and its simulation succeeds, so that no gas is
 * wasted on a recipient that is still blocked: queues one `claimFor`, which anyone may send and which pays only the recipient. On
 * Solana it queues one payout of what is kept for the recipient, if the recipient can receive it. Schedules itself again while
 * anything is undelivered, and ends when the fold has applied the claim. Idempotent. Throws CHAIN_UNAVAILABLE.
 */
export async function deliverPayouts(world: ChainActionWorld, request: Recipient): Promise<void> {
  const open = await openPayouts(world, request);
  const [newest] = open;
  if (!newest) return;
  const now = world.clock.now();
  const dueAt = new Date(Math.min(...open.map((payout) => payout.nextTryAt.getTime())));
  if (dueAt > now) return await scheduleAgain(world, request, dueAt);
  // One purpose per due time, so that two concurrent workers send one transaction.
  const purpose = `${claimPurpose(recipientKey(request))}${dueAt.getTime()}`;
  const isOnSolana = world.registry.chain(request.chainId)?.family === 'SOLANA';
  const order = isOnSolana ? await orderKeptShares(world, { open, purpose }) : await orderClaim(world, request);
  const isOpen = order !== null && !(await isUnderWay(world, request));
  const runAt = nextTryAt(newest.createdAt, now);
  await transaction(world.database, async (tx) => {
    await tx.creditedPayout.updateMany({ where: { ...request, deliveredAt: null }, data: { nextTryAt: runAt } });
    await addJob(tx, deliverPayoutsJob, request, { runAt, key: deliveryKey(request) });
    if (isOpen) await enqueueTransaction(tx, { ...order, chainId: request.chainId, purpose });
  });
}

/** Null if the recipient cannot be paid at present. */
async function orderClaim(
  world: ChainActionWorld,
  request: Recipient,
): Promise<Omit<NewOutgoing, 'chainId' | 'purpose'> | null> {
  const call = claimCallOf(world, request);
  if (!(await succeeds(world, request.chainId, call))) return null;
  return { sender: RELAY_SENDER, to: call.to, data: call.data, maxFailures: 1, maxGas: CLAIM_GAS };
}

/** Newest first. */
async function openPayouts({ database }: ChainActionWorld, request: Recipient): Promise<CreditedPayout[]> {
  return await database.creditedPayout.findMany({
    where: { ...request, deliveredAt: null },
    orderBy: { createdAt: 'desc' },
  });
}

function claimCallOf({ registry }: ChainActionWorld, { chainId, recipient, token }: Recipient) {
  const { escrow } = escrowOf(registry, chainId);
  return claimForCall({ escrow, recipient: toAddress(recipient), token: toAddress(token) });
}

function toAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new Error(`${text} is not an address that can be credited.`);
  return text;
}

/**
 * Whether a claim is not mined yet. A mined one does not block the next: what is still undelivered may have been credited after
 * it.
 */
async function isUnderWay({ database }: ChainActionWorld, request: Recipient): Promise<boolean> {
  const claims = await claimsUnderWay(database, { keys: [recipientKey(request)], statuses: unminedClaim });
  return claims.size > 0;
}

/**
 * The contract's `claimFor` reverts if the recipient cannot be paid or has no credit any more. A recipient whose code uses more gas than
 * the maximum has to claim by itself.
 */
async function succeeds(
  { nodes, operator }: ChainActionWorld,
  chainId: number,
  { to, data }: ReturnType<typeof claimForCall>,
): Promise<boolean> {
  return await nodes.asking(chainId, async (client) => {
    try {
      return (await client.estimateGas({ account: operator.address, to, data })) <= CLAIM_GAS;
    } catch (error) {
      if (callFault(error)?.kind === 'REVERT') return false;
      throw error;
    }
  });
}

async function scheduleAgain({ database }: ChainActionWorld, request: Recipient, runAt: Date): Promise<void> {
  await transaction(database, (tx) => addJob(tx, deliverPayoutsJob, request, { runAt, key: deliveryKey(request) }));
}
