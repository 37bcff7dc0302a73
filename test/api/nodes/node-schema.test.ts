import { type GraphQLObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { nodeTypes } from '../../../src/api/graphql/search/node-types.ts';

/** Types with a field `id` that `node` does not find, as docs/decisions/0078-objects-by-their-ids.md has them. */
const exceptions: Record<string, string> = {
  LiabilitySnapshot: 'ID!', // Public, without an owner, and with its own query.
  Mail: 'ID!', // Deleted after some months.
  StartedOnetimeRequest: 'UUID!', // The result of a mutation with the ID of its OnetimeRequest.
  SubscriptionConsent: 'Hex!', // A hash, unique on one chain only.
  PayerConsent: 'Hex!',
  StuckWork: 'String!', // Of rows of several kinds, some of which have no UUID.
};

const node = schema.getType('Node');
const identified = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && 'id' in type.getFields() && !type.name.startsWith('__'),
);
const isNode = (type: GraphQLObjectType) => type.getInterfaces().some((each) => each === node);
const idTypeOf = (type: GraphQLObjectType) => String(type.getFields().id?.type);

test('Node matches the specification of Relay', () => {
  expect(isInterfaceType(node) && Object.values(node.getFields()).map(({ name, type }) => `${name}: ${type}`)).toEqual([
    'id: ID!',
  ]);
  const { node: one, nodes: many } = schema.getQueryType()?.getFields() ?? {};
  expect([String(one?.type), one?.args.map(({ name, type }) => `${name}: ${type}`)]).toEqual(['Node', ['id: ID!']]);
  expect([String(many?.type), many?.args.map(({ name, type }) => `${name}: ${type}`)]).toEqual([
    '[Node]!',
    ['ids: [ID!]!'],
  ]);
});

test('every type with an ID implements Node with an ID!, except for the listed ones', () => {
  const others = identified.filter((type) => !isNode(type));
  expect(Object.fromEntries(others.map((type) => [type.name, idTypeOf(type)]))).toEqual(exceptions);
  const odd = identified.filter((type) => isNode(type) && idTypeOf(type) !== 'ID!');
  expect(odd.map(({ name }) => name)).toEqual([]);
});

test('node finds exactly the types that implement it', () => {
  const known = [...new Set(nodeTypes.map(({ name }) => name))].sort();
  expect(known).toEqual(
    identified
      .filter(isNode)
      .map(({ name }) => name)
      .sort(),
  );
});
