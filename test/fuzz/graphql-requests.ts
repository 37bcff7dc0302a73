/** Operations with every root field of the schema except subscriptions. Their arguments are variables. */
import fc, { type Arbitrary } from 'fast-check';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from '../../src/api/graphql/schema.ts';
import { arbitraryField, type Known } from './arbitrary-input.ts';

export type FuzzedOperation = { query: string; variables: Record<string, unknown> };

const SELECTION_DEPTH = 3;

export function graphqlOperation(known: Known): Arbitrary<FuzzedOperation> {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  const fields = roots.flatMap(([kind, root]) =>
    root ? Object.values(root.getFields()).map((field) => operationOf(known, kind, field)) : [],
  );
  return fc.oneof(...fields);
}

function operationOf(
  known: Known,
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
): Arbitrary<FuzzedOperation> {
  const declared = field.args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const query = `${kind}${declared === '' ? '' : `(${declared})`} { ${field.name}${passed === '' ? '' : `(${passed})`} ${selectionOf(field.type, SELECTION_DEPTH)} }`;
  const values = Object.fromEntries(field.args.map((argument) => [argument.name, arbitraryField(known, argument)]));
  const requiredKeys = field.args.filter(isRequiredArgument).map((argument) => argument.name);
  return fc.record(values, { requiredKeys }).map((variables) => ({ query, variables }));
}

function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isInterfaceType(named)) return '{ __typename id }';
  if (!isObjectType(named)) return '';
  return `{ __typename ${fieldsOf(named, depth).join(' ')} }`;
}

/** Selects leaves at every level and objects up to `depth`, but no field with a required argument and no nested list. */
function fieldsOf(type: GraphQLObjectType, depth: number): string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const named = getNamedType(field.type);
    if (!isObjectType(named)) return 'getFields' in named ? [] : [field.name];
    if (depth === 0 || String(field.type).includes('[') !== (field.name === 'items' || field.name === 'nodes'))
      return [];
    return [`${field.name} ${selectionOf(field.type, depth - 1)}`];
  });
}
