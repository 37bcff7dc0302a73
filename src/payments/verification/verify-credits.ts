import { type Address, type Hex, isAddress } from 'viem';
import type { CreditedPayout, Database } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { readCredit } from '../../escrow/read-credit.ts';
import type { BlockPlace } from '../../facts/chain-view.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { creditInInbox, emitterOf } from '../payouts/credit-facts.ts';
import { type CreditOwner, ownerKey } from '../payouts/payout.ts';

/** A recipient to which the contract owes a different amount than expected; amounts in base units. */
export type CreditDrift = CreditOwner & {
  tokenKey: string;
  /** The undelivered amount of this gateway's payments. */
  undelivered: string;
  /** The credited amount known to the inbox, including payments of other gateways. */
  known: string;
  /** The amount in the contract or, on Solana, in the account that keeps it. */
  credited: string;
  /** On Solana, the account that keeps the amount. */
  keptAt?: string;
};

type World = { database: Database; nodes: EvmNodes; registry: Registry };
/** `openOnly` leaves out recipients with nothing undelivered according to the records. */
type Request = { chainId: number; block: BlockPlace<Hex>; paymentIntentId?: string; openOnly?: boolean };

/** The number of recipients compared concurrently. */
const AT_ONCE = 10;

/**
 * Compares what the contract owes each known recipient, or each recipient of one payment, with the recorded undelivered amount at one
 * block, and returns those that differ. The contract may owe more than is recorded only to a recipient that has claimed nothing since the
 * chain was first read, because other gateways may have credited it before. Writes nothing. Throws CHAIN_UNAVAILABLE, and the node's error
 * if it keeps no state of that block.
 */
export async function verifyCredits(world: World, request: Request): Promise<CreditDrift[]> {
  const { chainId, block, paymentIntentId, openOnly } = request;
  const owners = await world.database.creditedPayout.findMany({
    where: {
      chainId,
      ...(paymentIntentId === undefined ? {} : { paymentIntentId }),
      ...(openOnly ? { deliveredAt: null } : {}),
    },
    distinct: ['recipient', 'token'],
    select: { recipient: true, token: true, tokenKey: true },
  });
  const emitter = emitterOf(world.registry, chainId);
  if (owners.length === 0 || !emitter) return [];
  const [rows, known, cursor] = await Promise.all([
    undeliveredAt(world.database, { chainId, owners, block }),
    creditInInbox(world.database, { ...emitter, owners, upTo: block.number }),
    world.database.chainCursor.findUnique({ where: { chainId }, select: { startNumber: true } }),
  ]);
  const drifts: CreditDrift[] = [];
  for (let start = 0; start < owners.length; start += AT_ONCE) {
    const part = owners.slice(start, start + AT_ONCE);
    const credits = await Promise.all(part.map((owner) => creditAt(world, request, owner)));
    for (const [index, owner] of part.entries()) {
      const credited = credits[index] ?? 0n;
      const ours = rows.get(ownerKey(owner)) ?? 0n;
      const inbox = known.get(ownerKey(owner)) ?? { amount: 0n, hasClaim: false };
      const isFullyKnown = inbox.hasClaim || cursor?.startNumber === 0n;
      const isTooMuch = isFullyKnown && credited > inbox.amount;
      if (credited >= ours && credited >= inbox.amount && !isTooMuch) continue;
      drifts.push({ ...owner, undelivered: String(ours), known: String(inbox.amount), credited: String(credited) });
    }
  }
  return drifts;
}

/** Base units by `ownerKey`, as of the block. */
async function undeliveredAt(
  database: Database,
  { chainId, owners, block }: { chainId: number; owners: readonly CreditOwner[]; block: BlockPlace },
): Promise<Map<string, bigint>> {
  const rows: Pick<CreditedPayout, 'recipient' | 'token' | 'amount'>[] = await database.creditedPayout.findMany({
    where: {
      chainId,
      blockNumber: { lte: block.number },
      recipient: { in: [...new Set(owners.map(({ recipient }) => recipient))] },
      OR: [{ deliveredAt: null }, { deliveredBlockNumber: { gt: block.number } }],
    },
    select: { recipient: true, token: true, amount: true },
  });
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(ownerKey(row), (sums.get(ownerKey(row)) ?? 0n) + toBigInt(row.amount));
  return sums;
}

async function creditAt({ nodes, registry }: World, request: Request, owner: CreditOwner): Promise<bigint> {
  const { chainId, block } = request;
  const escrow = registry.chain(chainId)?.escrow;
  if (!escrow) throw new Error(`Chain ${chainId} has no escrow.`);
  const [recipient, token] = [toAddress(owner.recipient), toAddress(owner.token)];
  return await nodes.asking(chainId, (client) =>
    readCredit({ client, escrow }, { recipient, token, blockHash: block.hash }),
  );
}

function toAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new Error(`${text} is not an address that can be credited.`);
  return text;
}

/** The difference as a sentence. */
export function describeCredit({ recipient, tokenKey, undelivered, known, credited, keptAt }: CreditDrift): string {
  if (keptAt !== undefined) {
    return `The account ${keptAt} holds ${credited} ${tokenKey}; ${undelivered} are to be kept there for ${recipient}.`;
  }
  return `The contract owes ${recipient} ${credited} ${tokenKey}; ${known} are known, ${undelivered} of them undelivered of our payments.`;
}
