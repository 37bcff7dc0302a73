import { queryFromInfo } from '@pothos/plugin-prisma';
import { getLoaderMapping, setLoaderMappings } from '@pothos/selection-mapper';
import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { GraphqlContext } from '../../server/context.ts';
import type { PaymentIntentQuery } from './written-intents.ts';

type Mapping = NonNullable<ReturnType<typeof getLoaderMapping>>;
type Plan = { query: PaymentIntentQuery; mappings: Record<string, Mapping> };

const plans = new WeakMap<FieldNode, Plan>();

/**
 * Returns Pothos's query for a payment intent with the selected relations, and records for the fields of the relations that it reads them.
 * Pothos plans it once for a REST document, which selects the same fields for every caller and for all variables.
 */
export function plannedQuery(context: GraphqlContext, info: GraphQLResolveInfo): PaymentIntentQuery {
  const [node] = info.fieldNodes;
  const known = context.ownDocument && node ? plans.get(node) : undefined;
  if (known) {
    setLoaderMappings(context, info, known.mappings);
    return known.query;
  }
  const query: PaymentIntentQuery = queryFromInfo({ context, info });
  if (context.ownDocument && node) plans.set(node, { query, mappings: mappingsOf(context, info) });
  return query;
}

/** Returns what Pothos has recorded for the fields of the object, by the keys under which it is recorded again. */
function mappingsOf(context: GraphqlContext, info: GraphQLResolveInfo): Plan['mappings'] {
  const type = getNamedType(info.returnType);
  const mappings: Plan['mappings'] = {};
  for (const name of isObjectType(type) ? Object.keys(type.getFields()) : []) {
    const path = { prev: info.path, key: name, typename: type.name };
    const mapping = getLoaderMapping(context, path, type.name, null);
    if (mapping) mappings[`${type.name}@${name}`] = mapping;
  }
  return mappings;
}
