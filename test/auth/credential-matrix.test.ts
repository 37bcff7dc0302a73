/** Every kind of credential with every root field and route: authorization is checked before anything else. */
import { type GraphQLObjectType, getNamedType, isCompositeType, isRequiredArgument } from 'graphql';
import { expect, test } from 'vitest';
import { restRoutes } from '../../generated/rest.ts';
import { accessNeeded } from '../../src/api/graphql/server/access/root-access.ts';
import { composedSchema } from '../../src/gateway/composed-schema.ts';
import { callGraphql } from '../setup/api/api.ts';
import { everyCredential, granted, mayBe } from '../setup/api/every-credential.ts';
import { openRestApi } from '../setup/api/rest.ts';

const schema = composedSchema();
const api = await openRestApi();
const { merchantA } = api;
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const REFUSALS = ['This operation requires a credential.', 'This credential may not do this.'];

const headers = await everyCredential(api);

type Root = { operation: 'query' | 'mutation'; name: string; type: GraphQLObjectType };

const roots: Root[] = (['query', 'mutation'] as const).flatMap((operation) => {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  return type ? Object.keys(type.getFields()).map((name) => ({ operation, name, type })) : [];
});

/** The field with none of its required arguments given, so that an authorized call fails validation and changes nothing. */
function documentOf({ operation, name, type }: Root): string {
  const field = type.getFields()[name];
  const needed = field?.args.filter(isRequiredArgument) ?? [];
  const head = needed.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const given = needed.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selection = field && isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${operation}${head && ` (${head})`} { ${name}${given && `(${given})`}${selection} }`;
}

test.each(Object.keys(granted))('%s: has access to the permitted root fields only', async (who) => {
  // A logout takes no argument, and would end the login that the next calls need.
  for (const root of roots.filter(({ name }) => name !== 'logout')) {
    const needed = accessNeeded(root.type, root.name) ?? [];
    const answer = await callGraphql(api.url, documentOf(root), {}, { headers: headers[who] ?? {} });
    const fault = answer.errors?.[0];
    const isRefused = fault !== undefined && REFUSALS.includes(fault.message);
    expect.soft([root.name, isRefused]).toEqual([root.name, !mayBe(needed, who)]);
    const code = who === 'anonymous' ? 'AUTHENTICATION_ERROR' : 'AUTHORIZATION_ERROR';
    if (isRefused) expect.soft([root.name, fault.extensions.code]).toEqual([root.name, code]);
  }
});

test.each(Object.keys(granted))('%s: has access to the permitted routes only', async (who) => {
  for (const route of restRoutes) {
    const path = route.path.replace(':appId', merchantA.appId).replace(/:\w+/g, UNKNOWN);
    const answer = await fetch(`${api.url}${path}`, {
      method: route.method,
      headers: { 'content-type': 'application/json', ...headers[who] },
      ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{"notAField":1}' }),
    });
    const text = await answer.text();
    const isRefused = REFUSALS.some((words) => text.includes(words));
    const name = `${route.method} ${route.path}`;
    expect.soft([name, isRefused]).toEqual([name, !mayBe(route.access, who)]);
    // Under /v1 only a bearer token identifies the caller.
    const isUnknown =
      who === 'anonymous' || (route.path.startsWith('/v1/') && !('authorization' in (headers[who] ?? {})));
    if (isRefused) expect.soft([name, answer.status]).toEqual([name, isUnknown ? 401 : 403]);
  }
});

test('dashboard members cannot create payment intents, and viewers change only their login and notifications', () => {
  const mutations = roots.filter(({ operation }) => operation === 'mutation');
  const open = (who: string) =>
    mutations
      .map(({ name, type }) => ({ name, needed: accessNeeded(type, name) ?? [] }))
      .filter(({ needed }) => !needed.includes('public') && mayBe(needed, who))
      .map(({ name }) => name);
  expect(open('viewer')).toEqual(['logout', 'updateNotificationSettings']);
  expect(open('owner')).not.toContain('createPaymentIntent');
  expect(open('publishable key')).toEqual([]);
  expect(open('onetime token')).toEqual(['confirmOnetimeRequest']);
  expect(open('operator')).toEqual(['drainInstallation', 'pauseChain', 'resumeChain']);
  expect(open('owner').filter((name) => !open('developer').includes(name))).toEqual([
    'createApp',
    'inviteMember',
    'removeMember',
  ]);
});
