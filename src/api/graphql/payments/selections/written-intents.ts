/**
 * Decides when a selection of payment intents is read by the statement of `read-payment-intents`: if the caller belongs to a merchant and
 * selects only columns of the intent and the relations below, in the way that their fields select them.
 */
import { isDeepStrictEqual } from 'node:util';
import { Prisma } from '../../../../../prisma/client.ts';
import type { Scope } from '../../../../auth/principal.ts';
import type { IntentRelation } from '../../../../payments/read-payment-intents.ts';
import type { GraphqlContext } from '../../server/context.ts';
import { reachOf } from '../../server/scope-of.ts';
import { transfers } from './transfer-selection.ts';
import { undelivered } from './undelivered-selection.ts';

export type PaymentIntentQuery = { include?: Prisma.PaymentIntentInclude; select?: Prisma.PaymentIntentSelect };

/** Returns the scope of a caller of a merchant, or undefined for payers and for callers that may not read. */
export function merchantScope({ principal }: GraphqlContext): Scope | undefined {
  if (principal.kind === 'session' || principal.kind === 'payer') return undefined;
  return reachOf(principal) ?? undefined;
}

type Relations = ReadonlySet<IntentRelation>;

const none: Relations = new Set();
const decided = new WeakMap<Prisma.PaymentIntentInclude, { relations: Relations | undefined }>();

/** Returns the relations of a selection, or undefined if it selects anything else. */
export function writtenRelations({ include, select }: PaymentIntentQuery): Relations | undefined {
  if (select) return undefined;
  if (!include) return none;
  const known = decided.get(include);
  if (known) return known.relations;
  const relations = relationsIn(include);
  decided.set(include, { relations });
  return relations;
}

function relationsIn(include: Prisma.PaymentIntentInclude): Relations | undefined {
  const relations = new Set<IntentRelation>();
  for (const [name, selection] of Object.entries(include)) {
    if (!isRelation(name) || !isAsWritten[name](selection)) return undefined;
    relations.add(name);
  }
  return relations;
}

const columns: ReadonlySet<string> = new Set(Object.keys(Prisma.TransactionScalarFieldEnum));
const oldestFirst = [{ createdAt: 'asc' }, { id: 'asc' }];

const isAsWritten: { [Relation in IntentRelation]: (selection: unknown) => boolean } = {
  payouts: (selection) => isDeepStrictEqual(selection, undelivered),
  deposits: (selection) => isDeepStrictEqual(selection, transfers),
  dispute: (selection) => selection === true,
  customerAccount: (selection) =>
    selection === true || isDeepStrictEqual(selection, { include: { wallets: { orderBy: { id: 'asc' } } } }),
  transactions(selection) {
    if (typeof selection !== 'object' || selection === null) return false;
    const { select, ...rest }: { select?: Record<string, unknown> } = selection;
    if (!isDeepStrictEqual(rest, { orderBy: oldestFirst, take: 100 })) return false;
    return Object.entries(select ?? {}).every(([name, selected]) => {
      if (name === 'payouts') return isDeepStrictEqual(selected, undelivered);
      if (name === 'paymentIntent')
        return isDeepStrictEqual(selected, { select: { acceptedTermsHash: true, authorizationChainId: true } });
      return selected === true && columns.has(name);
    });
  },
};
function isRelation(name: string): name is IntentRelation {
  return Object.hasOwn(isAsWritten, name);
}
