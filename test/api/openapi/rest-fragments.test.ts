/** The field lists of REST, which are derived from the GraphQL types. */
import { readFileSync } from 'node:fs';
import { type FragmentDefinitionNode, getNamedType, isLeafType, isObjectType, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { printRestFragments } from '../../../src/api/rest/rest-fragments.ts';

const printed = readFileSync(new URL('../../../schema/rest/fragments/derived.graphql', import.meta.url), 'utf8');
const fragments = parse(printed).definitions.filter(
  (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
);

describe('the fragments of REST', () => {
  test('match the generated types', () => {
    expect(printRestFragments()).toBe(printed);
    expect(fragments.length).toBeGreaterThan(30);
  });

  test.each(fragments)(
    '$name.value has every scalar field of its type, except for the fields that are listed as excluded',
    (fragment) => {
      const type = schema.getType(fragment.typeCondition.name.value);
      if (!isObjectType(type)) throw new TypeError(`${fragment.name.value} is not of an object type.`);
      const fields = Object.values(type.getFields()).filter(({ args, extensions, type }) =>
        isLeafType(getNamedType(type)) ? args.length === 0 && extensions.rest !== false : extensions.rest !== undefined,
      );
      expect(namesIn(fragment).sort()).toEqual(fields.map(({ name }) => name).sort());
    },
  );

  test('contain no secrets, and no fields for payers or live updates alone', () => {
    expect(namesOf('WebhookEndpointFields')).not.toContain('secret');
    expect(namesOf('CheckoutSessionFields')).not.toContain('clientSecret');
    expect(namesOf('PaymentIntentFields')).not.toContain('sequence');
  });

  test('start with the ID and keep the order of the definitions', () => {
    expect(namesOf('PaymentIntentFields').slice(0, 6)).toEqual([
      'id',
      'appId',
      'customerAccountId',
      'externalId',
      'amount',
      'currency',
    ]);
  });
});

function namesOf(fragment: string): string[] {
  const found = fragments.find(({ name }) => name.value === fragment);
  if (!found) throw new Error(`There is no fragment ${fragment}.`);
  return namesIn(found);
}

function namesIn({ selectionSet }: FragmentDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}
