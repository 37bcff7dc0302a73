import { isHex } from 'viem';
import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { LogSource } from '../../facts/log-source.ts';
import { reportLogs } from '../../facts/report-logs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { standingFactsOf, toPaymentFacts } from '../facts/standing-facts.ts';
import { foldPayment } from '../fold.ts';
import { contractStates } from './contract-states.ts';
import { openPayments } from './open-payments.ts';

type World = { database: Database; nodes: EvmNodes; registry: Registry; logs: LogSource; clock: Clock; log: Log };

/**
 * Re-reads the contract's state of every open payment and, where our facts do not lead to it, puts the node's own logs
 * of that payment into the inbox: the projector's next turn repairs what events missed. Throws CHAIN_UNAVAILABLE.
 */
export async function repairPayments(
  world: World,
  { chainId }: { chainId: number },
): Promise<{ checked: number; repaired: number }> {
  const done = { checked: 0, repaired: 0 };
  for await (const page of openPayments(world.database, { chainId, now: world.clock.now() })) {
    done.checked += page.length;
    for (const terms of await missing(world, { chainId, page })) {
      if (await repair(world, terms)) done.repaired += 1;
    }
  }
  return done;
}

/** Those that the contract has in another state than our facts.  */
async function missing(
  world: World,
  { chainId, page }: { chainId: number; page: readonly PaymentTerms[] },
): Promise<PaymentTerms[]> {
  const termsHashes = page.map((terms) => terms.termsHash);
  const contract = await contractStates(world, { chainId, termsHashes });
  const facts = await standingFactsOf(world.database, { chainId, termsHashes, seen: true });
  return page.filter(({ termsHash }, index) => {
    const known = toPaymentFacts(facts.get(termsHash) ?? []);
    const state = known && foldPayment(known);
    return state?.status !== contract[index]?.status || state?.left !== contract[index]?.left;
  });
}

/** A difference may also be a block that the source has not told of yet; whatever comes twice is one fact. */
async function repair(world: World, terms: PaymentTerms): Promise<boolean> {
  const { chainId, termsHash } = terms;
  if (!isHex(termsHash)) return false;
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  const logs = await world.logs.readPayment({ chainId, id: termsHash, from: cursor?.startNumber ?? 0n });
  const put = await reportLogs(world, { logs });
  if (put === 0) return false;
  world.log.warn(
    { chainId, ref: termsHash, facts: put },
    'The comparison found facts of a payment that had not been told.',
  );
  return true;
}
