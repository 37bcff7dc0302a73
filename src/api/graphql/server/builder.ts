/** The schema builder, to which every resource module adds its types and root fields. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type PrismaTypes from '../../../../generated/pothos.ts';
import { getDatamodel } from '../../../../generated/pothos.ts';
import { unguarded } from '../../../../prisma/guarded-database.ts';
import { type Access, grantedTo } from './access/access.ts';
import type { GraphqlContext } from './context.ts';
import { LIST_LIMIT } from './limits.ts';
import { refusal } from './scope-of.ts';

/** A decimal of any library. */
type Printable = { toFixed(places?: number): string; toString(): string };

export type SchemaTypes = {
  Context: GraphqlContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  AuthScopes: { [Name in Access]: boolean };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    UUID: { Input: string; Output: string };
    Decimal: { Input: string; Output: Printable | string };
    BaseUnits: { Input: string; Output: bigint | Printable | string };
    JSONObject: { Input: Record<string, unknown>; Output: unknown };
    JSON: { Input: unknown; Output: unknown };
    URL: { Input: string; Output: string };
    ChainSelection: { Input: 'ALL' | number[]; Output: unknown };
    TokenSelection: { Input: 'ALL' | string[]; Output: unknown };
    Address: { Input: string; Output: string };
    Hex: { Input: string; Output: string };
  };
};

/** The same types with everything that plugins add, as field builders name them. */
export type BuilderTypes = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: (context) => grantedTo(context.principal, context.world.config),
    unauthorizedError: (_parent, context) => refusal(context.principal),
  },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    // The connection has already multiplied by its size.
    nodesOnConnection: { complexity: { field: 1, multiplier: 1 } },
    edgesFieldOptions: { complexity: { field: 1, multiplier: 1 } },
    cursorType: 'String',
  },
  prisma: {
    // It only loads relations of rows that a scoped query found (scoped-database.ts).
    client: (context) => unguarded(context.world.database),
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    filterConnectionTotalCount: true,
    defaultConnectionSize: 20,
    maxConnectionSize: LIST_LIMIT,
  },
  // Checked before the operation is executed (check-operation.ts).
  complexity: { disabled: true },
});

builder.queryType({ description: 'All queries.' });
builder.mutationType({ description: 'All mutations.' });
builder.subscriptionType({
  // The usual name, Subscription, is the name of a resource.
  name: 'Live',
  description:
    'All subscriptions. Each returns the current state first, and then the complete object after each change.',
});

/** The interface of all types whose objects can be refetched by `id` (search/nodes.ts). */
export const NodeRef = builder.interfaceRef<{ id: string }>('Node').implement({
  description: 'An object that `node` returns by its ID if the caller may read it.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'A UUID, unique among all objects.' }) }),
});
