/** Requests to every REST route, with valid and unusual ids, queries, bodies and headers. */
import fc, { type Arbitrary } from 'fast-check';
import { restRoutes } from '../../generated/rest.ts';
import { schema } from '../../src/api/graphql/schema.ts';
import { type RouteVariable, routeVariables } from '../../src/api/rest/read-variables.ts';
import type { RestRoute } from '../../src/api/rest/rest-route.ts';
import { arbitraryField, arbitraryInput, type Known, oddValue } from './arbitrary-input.ts';

export type FuzzedRequest = { method: string; path: string; body: string | undefined; headers: Record<string, string> };

const oddSegments = ['seven', '0', '%00', '..%2f..', '%F0%9F%92%A5', "'", 'null', 'a'.repeat(300)];
const oddTexts = ['', 'x', '-1', '0', '1.5', '1e9', 'null', '\u0000', '%', 'a'.repeat(300), '💥', 'true', 'ALL'];

export function restRequest(known: Known): Arbitrary<FuzzedRequest> {
  return fc.oneof(...restRoutes.map((route) => requestOf(known, route)));
}

function requestOf(known: Known, route: RestRoute): Arbitrary<FuzzedRequest> {
  const variables = routeVariables(schema, route);
  return fc.record({
    method: fc.constant(route.method),
    path: fc
      .tuple(
        pathOf(known, route.path),
        queryOf(
          known,
          variables.filter((variable) => variable.in === 'query'),
        ),
      )
      .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
    body: route.method === 'GET' || route.method === 'DELETE' ? fc.constant(undefined) : bodyOf(known, variables),
    headers: headers(known, route),
  });
}

function pathOf(known: Known, path: string): Arbitrary<string> {
  const segment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known.ids) },
    { weight: 1, arbitrary: fc.constantFrom(...oddSegments) },
  );
  const segments = path.split('/').map((part) => (part.startsWith(':') ? segment : fc.constant(part)));
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

function queryOf(known: Known, variables: RouteVariable[]): Arbitrary<string> {
  if (variables.length === 0)
    return fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('x=1') });
  const value = (variable: RouteVariable) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: arbitraryField(known, variable).map((held) =>
          typeof held === 'object' ? JSON.stringify(held) : String(held),
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
    );
  const pairs = variables.map((variable) =>
    fc.option(value(variable).map((text) => [variable.name, text.toWellFormed()])),
  );
  return fc.tuple(...pairs).map((held) => new URLSearchParams(held.filter((pair) => pair !== null)).toString());
}

function bodyOf(known: Known, variables: RouteVariable[]): Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 14, arbitrary: fittingBody(known, variables).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', '{', '{"a":', 'null', '{"amount":"1"}{', '\u0000') },
  );
}

/** The input that is the whole body, or else the arguments that are its fields. */
function fittingBody(known: Known, variables: RouteVariable[]): Arbitrary<unknown> {
  const bodyVariable = variables.find((variable) => variable.in === 'body');
  if (bodyVariable) return arbitraryInput(known, bodyVariable.type);
  const fields = variables.filter((variable) => variable.in === 'field');
  const values = Object.fromEntries(fields.map((variable) => [variable.name, arbitraryField(known, variable)]));
  const requiredKeys = fields.filter((variable) => variable.required).map((variable) => variable.name);
  return fc.record(values, { requiredKeys });
}

/** Most calls of the card API include a token, and few other calls do. */
function headers(known: Known, route: RestRoute): Arbitrary<Record<string, string>> {
  const token = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...known.tokens) },
    { weight: 1, arbitrary: fc.constantFrom('x', 'a.b.c', `${known.tokens[0]}x`) },
  );
  const isCard = route.path.startsWith('/v1/');
  return fc
    .record({
      'content-type': fc.oneof(
        { weight: 20, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16') },
      ),
      'idempotency-key': fc.option(fc.constantFrom('a', 'b', 'c', 'k'.repeat(256)), { freq: 3 }),
      accept: fc.option(fc.constantFrom('application/problem+json', '*/*', 'text/html'), { freq: 3 }),
      authorization: fc.oneof(
        { weight: isCard ? 9 : 1, arbitrary: token.map((text) => `Bearer ${text}`) },
        { weight: isCard ? 1 : 30, arbitrary: fc.constant(null) },
      ),
    })
    .map((held) =>
      Object.fromEntries(Object.entries(held).filter((pair): pair is [string, string] => pair[1] !== null)),
    );
}
