import type { ChainFact } from '../../prisma/client.ts';
import type { ChainView } from './chain-view.ts';
import type { FactGroup, FactHandler, FactHandlers } from './fact-handler.ts';

export type HandledGroup = FactGroup & { handler: FactHandler };

/** Groups facts by handler and reference, in the order of each group's first fact. Facts without a handler are left out. */
export function groupFacts(handlers: FactHandlers, view: ChainView, facts: readonly ChainFact[]): HandledGroup[] {
  const groups = new Map<FactHandler, Map<string, HandledGroup>>();
  const ordered: HandledGroup[] = [];
  for (const fact of facts) {
    const handler = handlers.get(fact.kind);
    if (!handler) continue;
    const ofHandler = groups.get(handler) ?? new Map<string, HandledGroup>();
    groups.set(handler, ofHandler);
    const ref = handler.gathers ? null : fact.ref;
    const key = handler.gathers ? 'gathered' : (fact.ref ?? `${fact.blockHash}-${fact.logIndex}`);
    const known = ofHandler.get(key);
    if (known) {
      known.facts.push(fact);
      continue;
    }
    const group = { chainId: fact.chainId, ref, facts: [fact], view, handler };
    ofHandler.set(key, group);
    ordered.push(group);
  }
  return ordered;
}
