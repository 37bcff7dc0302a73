import type { ChainFact, Database, DatabaseTransaction, SubscriptionConsent } from '../../../prisma/client.ts';
import { refreshWalletJob } from '../../customers/jobs.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import type { FactHandler } from '../../facts/fact-handler.ts';
import { addJob } from '../../platform/jobs.ts';
import { consentKey } from './accepted-consent.ts';

/**
 * How subscriptions handle Charged and Revoked for the projector: which period of a consent was charged last, and whether its
 * payer revoked it. When a fact is removed, all facts that still stand are read again. A revocation may change the wallet's
 * authorization, so a job reads that again. Consents of other gateways change nothing.
 */
export function followConsents(world: { database: Database }): FactHandler {
  return {
    gathers: true,
    async prepare(group) {
      const ids = [...new Set(group.facts.map(consentIdOf).filter((id) => id !== null))];
      const where = { consentId: { in: ids }, chainId: group.chainId };
      if ((await world.database.subscriptionConsent.count({ where })) === 0) return async () => undefined;
      return async (tx) => {
        const rows = await tx.subscriptionConsent.findMany({ where });
        for (const row of rows) {
          const own = group.facts.filter((fact) => consentIdOf(fact) === row.consentId);
          const isTakenBack = own.some((fact) => fact.status === 'ORPHANED');
          await writeState(tx, { row, state: isTakenBack ? stateOf(await standing(tx, row)) : withFacts(row, own) });
        }
      };
    },
  };
}

type ConsentState = Pick<SubscriptionConsent, 'lastChargedPeriod' | 'revokedAt'>;

const untouched: ConsentState = { lastChargedPeriod: null, revokedAt: null };

function stateOf(facts: readonly ChainFact[]): ConsentState {
  return withFacts(untouched, facts);
}

function withFacts(state: ConsentState, facts: readonly ChainFact[]): ConsentState {
  let { lastChargedPeriod, revokedAt } = state;
  for (const fact of facts) {
    const event = parseEscrowEvent(fact.kind, fact.args);
    if (event?.kind === 'Charged') lastChargedPeriod = Math.max(lastChargedPeriod ?? 0, event.period);
    if (event?.kind === 'Revoked') revokedAt = new Date(Number(fact.blockTimestamp) * 1000);
  }
  return { lastChargedPeriod, revokedAt };
}

async function standing(tx: DatabaseTransaction, row: SubscriptionConsent): Promise<ChainFact[]> {
  return await tx.chainFact.findMany({
    where: {
      chainId: row.chainId,
      kind: { in: ['Charged', 'Revoked'] },
      status: { in: ['CONFIRMED', 'FINAL'] },
      args: { path: ['consentId'], equals: row.consentId },
    },
  });
}

async function writeState(
  tx: DatabaseTransaction,
  { row, state }: { row: SubscriptionConsent; state: ConsentState },
): Promise<void> {
  const { chainId, walletAddress } = row;
  await tx.subscriptionConsent.update({ where: consentKey(row), data: state });
  if (state.revokedAt?.getTime() === row.revokedAt?.getTime()) return;
  await addJob(tx, refreshWalletJob, { chainId, walletAddress });
}

function consentIdOf(fact: ChainFact): string | null {
  const event = parseEscrowEvent(fact.kind, fact.args);
  return event?.kind === 'Charged' || event?.kind === 'Revoked' ? event.consentId : null;
}
