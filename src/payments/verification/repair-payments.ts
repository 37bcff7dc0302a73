import { type Hex, isHex } from 'viem';
import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { BlockPlace } from '../../facts/chain-view.ts';
import type { LogSource } from '../../facts/log-source.ts';
import { reportLogs } from '../../facts/report-logs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { standingFactsOf, toPaymentFacts } from '../facts/standing-facts.ts';
import { agrees, foldPayment } from '../fold.ts';
import { contractStates } from './contract-states.ts';
import { openPayments } from './open-payments.ts';
import { confirmedView } from './read-payment.ts';
import { verifyCredits } from './verify-credits.ts';

type World = { database: Database; nodes: EvmNodes; registry: Registry; logs: LogSource; clock: Clock; log: Log };

/**
 * Reads the contract's state of every open payment at the block that the inbox has reached. If the recorded facts do not lead to that
 * state, it puts the node's own logs of the payment into the inbox, and the projector's next run applies the missed events. Does the same
 * for the amounts that the contract owes recipients of undelivered payouts. Throws CHAIN_UNAVAILABLE, and the node's error if it keeps no
 * state of that block.
 */
export async function repairPayments(
  world: World,
  { chainId, onProgress }: { chainId: number; onProgress?: () => Promise<void> },
): Promise<{ checked: number; repaired: number }> {
  const done = { checked: 0, repaired: 0 };
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  const { blockAt } = await confirmedView(world, chainId);
  // Later facts are not missing: they have not been read yet.
  const block = cursor && cursor.readNumber >= 0n ? await blockAt(cursor.readNumber) : null;
  if (!block) return done;
  for await (const page of openPayments(world.database, { chainId, now: world.clock.now() })) {
    done.checked += page.length;
    for (const terms of await missing(world, { chainId, page, block })) {
      if (await repair(world, terms, cursor?.startNumber ?? 0n)) done.repaired += 1;
      await onProgress?.();
    }
    await onProgress?.();
  }
  done.repaired += await repairCredits(world, { chainId, block, from: cursor?.startNumber ?? 0n });
  return done;
}

/** Reports all credits and claims of recipients to which the contract owes a different amount than the undelivered one. */
async function repairCredits(
  world: World,
  { chainId, block, from }: { chainId: number; block: BlockPlace<Hex>; from: bigint },
): Promise<number> {
  let repaired = 0;
  for (const { recipient, token } of await verifyCredits(world, { chainId, block, openOnly: true })) {
    if (!isHex(recipient) || !isHex(token)) continue;
    const put = await reportLogs(world, { logs: await world.logs.readCredits({ chainId, recipient, token, from }) });
    if (put === 0) continue;
    world.log.warn(
      { chainId, recipient, token, facts: put },
      'The comparison found credits or claims that had not been reported.',
    );
    repaired += 1;
  }
  return repaired;
}

/** The payments whose state in the contract differs from the result of the recorded facts. */
async function missing(
  world: World,
  { chainId, page, block }: { chainId: number; page: readonly PaymentTerms[]; block: BlockPlace<Hex> },
): Promise<PaymentTerms[]> {
  const termsHashes = page.map((terms) => terms.termsHash);
  const contract = await contractStates(world, { chainId, termsHashes, blockHash: block.hash });
  const facts = await standingFactsOf(world.database, { chainId, termsHashes, seen: true });
  return page.filter(({ termsHash }, index) => {
    const known = toPaymentFacts((facts.get(termsHash) ?? []).filter((fact) => fact.blockNumber <= block.number));
    const state = known && foldPayment(known);
    const held = contract[index];
    return !state || !held || !agrees(state, held);
  });
}

/** Reporting a log twice is harmless: it is stored as one fact. */
async function repair(world: World, terms: PaymentTerms, from: bigint): Promise<boolean> {
  const { chainId, termsHash } = terms;
  if (!isHex(termsHash)) return false;
  const logs = await world.logs.readPayment({ chainId, id: termsHash, from });
  const put = await reportLogs(world, { logs });
  if (put === 0) return false;
  world.log.warn(
    { chainId, ref: termsHash, facts: put },
    'The comparison found facts of a payment that had not been reported.',
  );
  return true;
}
