/** The payments room's part of the projector: what it does with the escrow's events. */
import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import type { FactGroup, FactHandler, FactHandlers, WriteFacts } from '../../facts/fact-handler.ts';
import { paymentEventKinds } from '../fold.ts';
import type { FoldingWorld } from './folding-world.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { tellPending } from './tell-pending.ts';
import { tellVanished } from './tell-vanished.ts';
import { writePayment } from './write-payment.ts';

/** For the projector's table: every escrow event that moves a payment. */
export function paymentFactHandlers(world: FoldingWorld): FactHandlers {
  const handler: FactHandler = {
    prepare: (group) => prepare(world, group),
    seen: tellPending,
    vanished: tellVanished,
  };
  return new Map(paymentEventKinds.map((kind) => [kind, handler]));
}

/** Null while facts and contract disagree. Terms that this gateway did not sign change nothing, whatever they claim. */
async function prepare(world: FoldingWorld, group: FactGroup): Promise<WriteFacts | null> {
  const terms = await ownTerms(world.database, group);
  if (!terms) return async () => undefined;
  const evidence = await gatherEvidence(world, { group, terms });
  if (!evidence) return null;
  return (tx) => writePayment(tx, world, evidence);
}

async function ownTerms(database: Database, group: FactGroup): Promise<PaymentTerms | null> {
  if (group.ref === null) return null;
  return await database.paymentTerms.findFirst({ where: { termsHash: group.ref, chainId: group.chainId } });
}
