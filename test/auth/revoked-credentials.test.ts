/**
 * A credential that another process revoked a moment ago writes nothing: over a connection that is open still, and in a
 * request that was admitted before. Every mutation of the schema is tried.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { parse } from 'graphql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { schema } from '../../src/api/graphql/schema.ts';
import { contextOf, credentialsOf } from '../../src/api/graphql/server/context.ts';
import { byRealTime } from '../../src/api/graphql/server/world.ts';
import { openParts } from '../../src/api/open-parts.ts';
import { authenticate } from '../../src/auth/authenticate.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { revokeApiKey } from '../../src/auth/revoke-api-key.ts';
import { revokeSession } from '../../src/card/revoke-session.ts';
import { type GraphqlFault, openApi, type TestApi } from '../setup/api/api.ts';
import { everyMutation, type MadeCall, makeCall } from '../setup/api/every-mutation.ts';
import { followWs, type WsClient, wsClient } from '../setup/api/live.ts';
import { openSecondApi } from '../setup/api/second-api.ts';
import { fingerprint } from '../setup/database/fingerprint.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';

let api: TestApi;
let elsewhere: Awaited<ReturnType<typeof openSecondApi>>;
beforeAll(async () => {
  // The check of live credentials every second is disabled, because it would close the connections.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    api = await openApi({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  } finally {
    vi.useRealTimers();
  }
  elsewhere = await openSecondApi(api, { parts: openParts });
});

const names = Object.keys(schema.getMutationType()?.getFields() ?? {});

/** Ends the credential in the other process. */
async function revoke({ by, rows }: MadeCall): Promise<void> {
  const { database, world } = elsewhere;
  const where = { id: rows.credential };
  switch (by) {
    case 'secret key':
      await revokeApiKey(world, { holder: 'INSTALLATION', id: rows.credential });
      return;
    case 'owner':
      await database.memberSession.update({ where, data: { revokedAt: world.clock.now() } });
      return;
    case 'operator':
    case 'arbiter':
      await database.platformCredential.update({ where, data: { revokedAt: world.clock.now() } });
      return;
    case 'client secret':
      await database.checkoutSession.update({ where, data: { clientSecretHash: new Uint8Array(32) } });
      return;
    case 'session token':
      await revokeSession(world, { userId: rows.user, id: rows.credential });
      return;
    // These end only when they expire.
    case 'access token':
    case 'onetime token':
      api.clock.advance(7_201);
      return;
    default:
      by satisfies never;
  }
}

/** Runs a document for a caller who was admitted before, like a request whose body arrives late. */
async function runAdmitted(principal: Principal, document: string, idempotencyKey?: string, clientSecret?: string) {
  const context = contextOf(api.world, principal, { idempotencyKey, clientSecret });
  const { execute, schema: served } = api.running.yoga.getEnveloped(context);
  const result: { errors?: GraphqlFault[]; data?: unknown } = await execute({
    schema: served,
    document: parse(document),
    contextValue: context,
  });
  return { codes: result.errors?.map(({ extensions }) => extensions.code), data: result.data };
}

function principalOf(headers: Record<string, string>): Promise<Principal> {
  return authenticate(
    byRealTime(api.world),
    credentialsOf((name) => headers[name]),
  );
}

/** The codes of an operation's errors. Null if it succeeded. */
async function ask(client: WsClient, document: string): Promise<string[] | null> {
  const answer = await followWs(client, document)
    .next()
    // An operation that is refused before it begins is an error message of the protocol.
    .catch((errors: GraphqlFault[]) => ({ errors }));
  if (answer === 'end') return ['end'];
  return answer.errors?.map(({ extensions }) => extensions.code) ?? null;
}

test('a ping is not sent if its key is revoked after the request was admitted', async () => {
  const receiver = await openReceiver();
  const call = await makeCall(api.world, schema, 'pingWebhookEndpoint');
  await api.database.webhookEndpoint.update({ where: { id: call.rows.endpoint }, data: { url: receiver.url } });
  const principal = await principalOf(call.headers);
  expect((await runAdmitted(principal, call.document)).codes).toBeUndefined();
  expect(receiver.received).toHaveLength(1);
  await revoke(call);
  expect((await runAdmitted(principal, call.document)).codes).toEqual(['AUTHENTICATION_ERROR']);
  expect(receiver.received).toHaveLength(1);
});

test('these tests cover every mutation of the schema', () => {
  expect(Object.keys(everyMutation).sort()).toEqual([...names].sort());
});

describe('a credential that was revoked in another process', () => {
  test.each(names)('%s: writes nothing, unlike with a valid credential', async (name) => {
    const good = await makeCall(api.world, schema, name);
    const secretOf = ({ headers }: typeof good) => headers['x-client-secret'];
    const done = await runAdmitted(await principalOf(good.headers), good.document, undefined, secretOf(good));
    if (!everyMutation[name]?.needsMore) expect(done).toMatchObject({ codes: undefined });

    const call = await makeCall(api.world, schema, name);
    const principal = await principalOf(call.headers);
    const client = wsClient(api.url, call.headers);
    expect(await ask(client, '{ viewer { kind } }')).toBeNull();
    await revoke(call);
    const before = await fingerprint(api.database);
    // Over the open connection, and in a request that was admitted before and writes only now.
    expect(await ask(client, call.document)).toEqual(['AUTHENTICATION_ERROR']);
    const { codes } = await runAdmitted(principal, call.document, 'a key of its own', secretOf(call));
    if (!everyMutation[name]?.needsMore) expect(codes).toEqual(['AUTHENTICATION_ERROR']);
    expect(await fingerprint(api.database)).toEqual(before);
    await client.dispose();
  });

  test.each(['{ customers { totalCount } }', 'subscription { events { id } }'])('%s is rejected', async (document) => {
    const call = await makeCall(api.world, schema, 'createCustomer');
    const client = wsClient(api.url, call.headers);
    expect(await ask(client, '{ viewer { kind } }')).toBeNull();
    await revoke(call);
    expect(await ask(client, document)).toEqual(['AUTHENTICATION_ERROR']);
    await client.dispose();
  });

  test('writes nothing over HTTP, even if it was valid when the headers arrived', async () => {
    const call = await makeCall(api.world, schema, 'createCustomer');
    const body = JSON.stringify({ query: call.document });
    const sending = request(`${elsewhere.url}/graphql`, {
      method: 'POST',
      headers: { ...call.headers, 'content-type': 'application/json', 'content-length': body.length },
    });
    const answered = once(sending, 'response');
    sending.write(body.slice(0, 10));
    const isLetIn = async () => {
      const key = await api.database.apiKey.findUniqueOrThrow({ where: { id: call.rows.credential } });
      return key.lastUsedAt !== null;
    };
    await expect.poll(isLetIn, { timeout: 10_000 }).toBe(true);
    await revoke(call);
    const before = await fingerprint(api.database);
    sending.end(body.slice(10));
    const [response] = await answered;
    expect(response.statusCode).toBe(401);
    expect(await fingerprint(api.database)).toEqual(before);
  });

  test('does not receive a stored response that contains a secret', async () => {
    const call = await makeCall(api.world, schema, 'createApiKey');
    const principal = await principalOf(call.headers);
    const document = call.document.replace('__typename', 'secret');
    const made = await runAdmitted(principal, document, 'a key for the till');
    expect(await runAdmitted(principal, document, 'a key for the till')).toEqual(made);
    await revoke(call);
    const again = await runAdmitted(principal, document, 'a key for the till');
    expect(again).toEqual({ codes: ['AUTHENTICATION_ERROR'], data: null });
  });
});

describe('a member whose permissions were reduced', () => {
  test('is checked again on an open connection', async () => {
    const call = await makeCall(api.world, schema, 'createApp');
    const client = wsClient(api.url, call.headers);
    expect(await ask(client, '{ viewer { kind } }')).toBeNull();
    await lower(call, { role: 'DEVELOPER' });
    const before = await fingerprint(api.database);
    expect(await ask(client, call.document)).toEqual(['AUTHORIZATION_ERROR']);
    expect(await fingerprint(api.database)).toEqual(before);
    // The permissions of a developer remain.
    expect(
      await ask(client, 'mutation { createTaxRate(input: { displayName: "VAT", percentage: 20 }) { id } }'),
    ).toBeNull();
    await client.dispose();
  });

  test.each([{ role: 'DEVELOPER' as const }, { isOperator: false }])(
    'writes nothing in a request that was admitted before: %j',
    async (data) => {
      const call = await makeCall(api.world, schema, 'createApp');
      await lower(call, { isOperator: true });
      const principal = await principalOf(call.headers);
      await lower(call, data);
      const before = await fingerprint(api.database);
      expect((await runAdmitted(principal, call.document)).codes).toEqual(['AUTHORIZATION_ERROR']);
      expect(await fingerprint(api.database)).toEqual(before);
    },
  );
});

/** Changes the permissions of the member of the call in the other process. */
async function lower({ rows }: MadeCall, data: { role?: 'DEVELOPER'; isOperator?: boolean }): Promise<void> {
  const { member, memberSession } = elsewhere.database;
  const { memberId } = await memberSession.findUniqueOrThrow({ where: { id: rows.credential } });
  await member.update({ where: { id: memberId }, data });
}
