import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { exampleHeaders, exampleQuery } from '../../web/src/graphiql/example.ts';

test('the example of the GraphQL editor is valid', () => {
  const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
  expect(validate(schema, parse(exampleQuery))).toEqual([]);
  expect(Object.keys(JSON.parse(exampleHeaders))).toEqual(['x-api-key']);
});
