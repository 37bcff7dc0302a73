import type { OutgoingTransaction } from '../../../prisma/client.ts';
import { payoutPlanFromText } from '../../escrow/solana/payout-plan.ts';
import { traced } from '../../platform/request-trace.ts';
import { type FinalPlace, followPayout, type SignedPayout } from './follow-payout.ts';
import { keepersAtWork, keepersOf } from './keepers-at-work.ts';
import { LOOK_AGAIN_MS, signPayout } from './sign-payout.ts';
import type { VaultSendingWorld } from './vault-sending-world.ts';

const IN_FLIGHT = 64;

/**
 * One turn of the pump of a Solana chain: follows signed payouts, then signs queued ones and sends them to the node, one payout of a
 * vault at a time. Does nothing and returns false while another process runs the same pump.
 *
 * It recovers from a crash at any point: a signed payout is stored before it is sent, it is signed again only when it can no longer
 * land, and nothing is signed while vault and ledger differ. A failing node ends the turn (throws), and the next turn continues.
 */
export async function pumpPayouts(world: VaultSendingWorld): Promise<boolean> {
  return await world.locks.tryWith(`send:${world.chainId}:solana`, () => turn(world));
}

async function turn(world: VaultSendingWorld): Promise<void> {
  const { database, chainId, clock } = world;
  const epoch = await world.connection.getEpochInfo('finalized');
  const final = { slot: BigInt(epoch.absoluteSlot), height: BigInt(epoch.blockHeight ?? 0) };
  await follow(world, await signedPayouts(world), final);
  const open = await signedPayouts(world);
  const busy = new Set(open.map((payout) => payoutPlanFromText(payout.data).vault));
  const now = clock.now();
  // A delivery that waits for its next check prevents further shares from overlapping it.
  const soon = new Date(now.getTime() + LOOK_AGAIN_MS);
  const queued: OutgoingTransaction[] = await database.outgoingTransaction.findMany({
    where: { chainId, status: 'QUEUED', OR: [{ notBefore: null }, { notBefore: { lte: soon } }] },
    orderBy: { id: 'asc' },
    take: IN_FLIGHT - Math.min(open.length, IN_FLIGHT),
  });
  const atWork = await keepersAtWork(open, queued);
  for (const outgoing of queued) {
    if (outgoing.notBefore !== null && outgoing.notBefore > now) continue;
    const { vault } = payoutPlanFromText(outgoing.data);
    if (busy.has(vault)) continue;
    busy.add(vault);
    const signed = await traced(outgoing.requestId, () => signPayout(world, outgoing, atWork));
    for (const keeper of signed ? await keepersOf(signed) : []) atWork.keeping.add(keeper);
  }
  const followed = new Set(open.map((payout) => payout.id));
  const fresh = (await signedPayouts(world)).filter((payout) => !followed.has(payout.id));
  await follow(world, fresh, final);
}

async function follow(world: VaultSendingWorld, payouts: readonly SignedPayout[], final: FinalPlace): Promise<void> {
  for (const payout of payouts) {
    await traced(payout.requestId, () => followPayout(world, { payout, final }));
  }
}

async function signedPayouts({ database, chainId }: VaultSendingWorld): Promise<SignedPayout[]> {
  return await database.outgoingTransaction.findMany({
    where: { chainId, status: { in: ['SIGNED', 'SENT'] } },
    orderBy: { id: 'asc' },
    take: IN_FLIGHT,
    include: { attempts: { orderBy: { createdAt: 'asc' } } },
  });
}
