/** Cursors that no response contained, for every field and route that accepts a cursor. */
import fc, { type Arbitrary } from 'fast-check';
import { type GraphQLField, getNamedType, isObjectType, isRequiredArgument } from 'graphql';
import { restRoutes } from '../../../generated/rest.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { routeVariables } from '../../../src/api/rest/read-variables.ts';
import type { Credential, Header, RequestAttack } from './attack.ts';

const NAMES = new Set(['after', 'before', 'cursor']);
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const forged: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '0', '-1', 'null', 'x', '=', '====', '%', '\u0000', '💥', '\ud800', '__proto__', "' OR 1=1 --"],
    ...[UNKNOWN, UNKNOWN.toUpperCase(), `${UNKNOWN}0`, base64(UNKNOWN), base64('x'), base64('\u0000'), base64('{}')],
    ...['GPC:S:', 'GPC:S:x', 'GPC:S:\u0000', `GPC:S:${UNKNOWN}`, 'GPC:N:1', 'GPC:N:1e999', 'GPC:N:x'].map(base64),
    ...['GPC:D:0', 'GPC:D:99999999999999999999', 'GPC:D:x', 'GPC:I:1', 'GPC:I:x', 'GPC:J:', 'GPC:J:{'].map(base64),
    ...['GPC:J:[]', 'GPC:J:{}', 'GPC:J:[null]', `GPC:J:["${UNKNOWN}","x"]`, 'GPC:J:{"id":{"gt":""}}'].map(base64),
    ...['GPC:J:{"__proto__":1}', 'GPC:J:[[[[]]]]', 'GPC:X:1', 'GPC:', 'OC:1', 'OC:-1', 'OC:x', 'gpc:s:x'].map(base64),
    base64(`GPC:S:${'9'.repeat(5_000)}`),
    base64(`GPC:J:${'['.repeat(5_000)}`),
    'A'.repeat(10_000),
    base64(`GPC:S:${UNKNOWN}`).replace(/=+$/, ''),
    base64(`GPC:S:${UNKNOWN}`).replaceAll('1', '-').replaceAll('2', '_'),
  ),
  fc.string({ maxLength: 80 }),
  fc.string({ maxLength: 60 }).map((text) => base64(`GPC:S:${text}`)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => base64(`GPC:J:${JSON.stringify(value)}`)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
);

const numbers = fc.constantFrom(-1, 0, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1.5, 1e308);
const whose: Arbitrary<Credential> = fc.constantFrom('secret', 'secret', 'secret', 'none');
const json: Header[] = [['content-type', 'application/json']];

/** The field with a minimal selection, and with an id if it is required. */
function fieldAttack(field: GraphQLField<unknown, unknown>): Arbitrary<RequestAttack> {
  const given = field.args.filter((argument) => NAMES.has(argument.name) || isRequiredArgument(argument));
  const type = getNamedType(field.type);
  const selection = isObjectType(type) ? '{ __typename }' : '';
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const query = `query (${declared}) { ${field.name}(${passed}) ${deepened(field) ?? selection} }`;
  const cursors = given.filter((argument) => NAMES.has(argument.name));
  return fc
    .tuple(
      fc.constantFrom(...cursors),
      fc.oneof({ weight: 5, arbitrary: forged }, { weight: 1, arbitrary: numbers }),
      whose,
    )
    .map(([cursor, value, credential]) => {
      const required = given.filter(isRequiredArgument).map((argument) => [argument.name, UNKNOWN]);
      return {
        over: 'http',
        kind: `a cursor of ${field.name}`,
        credential,
        method: 'POST',
        path: '/graphql',
        headers: json,
        body: JSON.stringify({ query, variables: { ...Object.fromEntries(required), [cursor.name]: value } }),
      };
    });
}

/** Selects the rows, because they are read only if the selection includes them. */
function deepened(field: GraphQLField<unknown, unknown>): string | undefined {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return undefined;
  const rows = ['edges', 'nodes', 'items'].find((name) => name in type.getFields());
  return rows === undefined ? undefined : `{ ${rows} { __typename } }`;
}

function routeAttacks(): Arbitrary<RequestAttack>[] {
  return restRoutes.flatMap((route) => {
    const names = routeVariables(schema, route).filter(
      (variable) => variable.in === 'query' && NAMES.has(variable.name),
    );
    return names.map((variable) =>
      fc.tuple(fc.oneof(forged, numbers.map(String)), whose).map(([value, credential]): RequestAttack => {
        const query = new URLSearchParams({ [variable.name]: String(value).toWellFormed() });
        const path = `${route.path.replace(/:\w+/g, UNKNOWN)}?${query}`;
        return {
          over: 'http',
          kind: `a cursor of ${route.path}`,
          credential,
          method: route.method,
          path,
          headers: [],
          body: undefined,
        };
      }),
    );
  });
}

export const cursorAttack: Arbitrary<RequestAttack> = fc.oneof(
  ...Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter((field) => field.args.some((argument) => NAMES.has(argument.name)))
    .map(fieldAttack),
  ...routeAttacks(),
);
