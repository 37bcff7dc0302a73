/** Every query of the pages is valid in the schema and within the limits of the API. */
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isEnumType, isInputType, Kind, parse, type TypeNode, typeFromAST } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));
const documents: string[] = JSON.parse(
  readFileSync(new URL('../../../generated/web/documents.json', import.meta.url), 'utf8'),
);
const queries = documents.flatMap((text) => {
  const operation = parse(text).definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  return operation?.operation === 'query' && operation.name ? [{ name: operation.name.value, text, operation }] : [];
});

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});

/** A value of the type. The object that it names need not exist. */
function exampleOf(node: TypeNode): unknown {
  if (node.kind === Kind.NON_NULL_TYPE) return exampleOf(node.type);
  if (node.kind === Kind.LIST_TYPE) return [exampleOf(node.type)];
  const type = getNamedType(typeFromAST(schema, node));
  if (isEnumType(type)) return type.getValues()[0]?.name;
  const byName: Record<string, unknown> = { ID: newId(), UUID: newId(), Int: 1, Boolean: true, String: 'a' };
  return isInputType(type) && type.name in byName ? byName[type.name] : null;
}

test.each(queries.map((query) => [query.name, query] as const))(
  'keeps %s within the limits of a request',
  async (_name, query) => {
    const variables = Object.fromEntries(
      (query.operation.variableDefinitions ?? []).map(({ variable, type }) => [variable.name.value, exampleOf(type)]),
    );
    const { errors = [] } = await api.graphql(query.text, variables, { key: api.merchantA.secretKey });
    const refused = errors.flatMap(({ extensions }) => extensions.details ?? []).map(({ param }) => param);
    expect(refused.filter((param) => ['depth', 'breadth', 'complexity'].includes(param))).toEqual([]);
  },
);
