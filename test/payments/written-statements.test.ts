/** Statements written by hand, prepared against a migrated database and compared with Prisma's datamodel. */
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { getDatamodel } from '../../generated/pothos.ts';
import { Prisma } from '../../prisma/client.ts';
import { columnOf } from '../../prisma/written-row.ts';
import { requireCredential } from '../../src/auth/check-credential.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { appendWithin } from '../../src/events/append-events.ts';
import { intentCreated } from '../../src/payments/insert-payment-intent.ts';
import { newPaymentIntentRow } from '../../src/payments/new-payment-intent.ts';
import {
  countStatement,
  type IntentRelation,
  intentsStatement,
  listStatement,
  relatedTables,
} from '../../src/payments/read-payment-intents.ts';
import { intentGround, intentInsertion, paymentIntentTable } from '../../src/payments/store.ts';
import { claiming, recording } from '../../src/platform/idempotency/claim.ts';
import { idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { newId } from '../../src/platform/identifier.ts';
import { checkWithOffset } from '../../src/test-clock/open-clock.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const fresh = await freshDatabase();
const client = new pg.Client({ connectionString: fresh.url });
beforeAll(() => client.connect());
onTeardown(() => client.end());

const now = new Date();
const app = {
  id: newId(),
  timelockDuration: 1,
  disputeStartDuration: 1,
  platformFeeBps: 100,
  intentExpiry: 60,
  captureMode: 'MANUAL' as const,
};
const intent = newPaymentIntentRow({ app, fields: { amount: '1' }, now });
const request = idempotencyRequest({
  scopeId: app.id,
  operation: 'o',
  parameters: {},
  sealedUnder: openSecretKeys({}).answers,
  headerKey: 'k',
});
if (!request) throw new Error('No request.');
const recorded = Prisma.sql`${recording(request, intent)} RETURNING true`;

const expiresAt = new Date(now.getTime() + 60_000);
const secretHash = new Uint8Array(32);
const keyHash = Buffer.from(secretHash).toString('base64');
const ids = { apiKeyId: newId(), appId: newId(), merchantId: newId(), memberId: newId(), sessionId: newId() };
const principals: Principal[] = [
  { kind: 'apiKey', keyKind: 'SECRET', mode: 'TEST', keyHash, scopes: null, allowedNetworks: [], ...ids },
  { kind: 'member', role: 'OWNER', isOperator: false, tokenId: newId(), expiresAt, ...ids },
  { kind: 'platform', role: 'OPERATOR', credentialId: newId(), keyHash },
  { kind: 'card', audience: 'session-connect', userId: newId(), tokenId: newId(), subjectId: newId(), expiresAt },
  { kind: 'session', secretHash, ...ids },
];

type Prepared = { parameters: string[]; results: string[] };

/** What Postgres makes of a statement, without running it. */
async function prepare({ text }: Pick<Prisma.Sql, 'text'>): Promise<Prepared> {
  await client.query('DEALLOCATE ALL');
  await client.query(`PREPARE written AS ${text}`);
  const { rows } = await client.query(`SELECT parameter_types::text[] AS parameters, result_types::text[] AS results
    FROM pg_prepared_statements WHERE name = 'written'`);
  return rows[0];
}

/** A column of a Prisma type, as Postgres calls it. */
const types: Record<string, readonly string[]> = {
  String: ['uuid', 'text'],
  Int: ['integer'],
  BigInt: ['bigint'],
  Decimal: ['numeric'],
  DateTime: ['timestamp with time zone'],
  Json: ['jsonb'],
  Boolean: ['boolean'],
};
const enums: Record<string, string> = {
  CaptureMode: 'capture_mode',
  PaymentIntentStatus: 'payment_intent_status',
  AuthorizationMethod: 'authorization_method',
  PaymentSourceType: 'payment_source_type',
};

function fieldsOf(model: string) {
  const found = getDatamodel().datamodel.models[model];
  if (!found) throw new Error(`No model ${model}.`);
  return found.fields.filter((field) => field.kind !== 'object');
}

/** The columns of a table, by name. */
async function columnsOf(
  table: string,
): Promise<Map<string, { type: string; isRequired: boolean; hasDefault: boolean }>> {
  const { rows } = await client.query<{ name: string; type: string; required: boolean; has_default: boolean }>(
    `SELECT attname AS name, format_type(atttypid, null) AS type, attnotnull AS required, atthasdef AS has_default
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return new Map(
    rows.map(({ name, type, required, has_default }) => [
      name,
      { type, isRequired: required, hasDefault: has_default },
    ]),
  );
}

describe('a new intent', () => {
  test('is written with every column of its model, each of the model’s type and nullability', async () => {
    const columns = await columnsOf('payment_intent');
    const fields = fieldsOf('PaymentIntent');
    expect(Object.keys(paymentIntentTable.fields).sort()).toEqual(fields.map(({ name }) => name).sort());
    expect(Object.keys(intent).sort()).toEqual(fields.map(({ name }) => name).sort());
    expect([...columns.keys()].sort()).toEqual(fields.map(({ name }) => columnOf(name)).sort());
    for (const { name, type, isRequired } of fields) {
      const column = columns.get(columnOf(name));
      expect(types[type] ?? [enums[type]], name).toContain(column?.type);
      expect(column?.isRequired, name).toBe(isRequired);
      expect(
        paymentIntentTable.json.some((field) => field === name),
        name,
      ).toBe(type === 'Json');
    }
  });

  test('is answered with the same columns in the same order, and takes a parameter of the type of each', async () => {
    const columns = await columnsOf('payment_intent');
    const inOrder = Object.values(paymentIntentTable.fields).map((name) => columns.get(columnOf(name))?.type);
    const created = intentCreated(intent);
    for (const part of [recorded, Prisma.sql`SELECT true`]) {
      const { parameters, results } = await prepare(intentInsertion({ intent, created, recorded: part }));
      expect(results).toEqual(inOrder);
      expect(parameters.slice(0, inOrder.length)).toEqual(inOrder);
    }
  });

  test('depends on settings that are of their model’s types', async () => {
    const ground = intentGround({ scope: { merchantId: newId(), appId: app.id }, customerAccountId: null });
    const { results } = await prepare(ground);
    expect(results).toEqual(['uuid', 'integer', 'integer', 'integer', 'integer', 'capture_mode', 'boolean']);
    const settings = fieldsOf('App').filter(({ name }) => name in app);
    expect(settings.map(({ type, isRequired }) => [type, isRequired]).sort()).toEqual(
      [...['String', 'Int', 'Int', 'Int', 'Int', 'CaptureMode'].map((type) => [type, true])].sort(),
    );
  });
});

describe('what is written beside it', () => {
  test('an event: every column that has no default of the database, and its instant', async () => {
    const { queries } = appendWithin(app.id, [intentCreated(intent)]);
    const { results } = await prepare(Prisma.sql`WITH ${queries} SELECT numbered.last FROM numbered`);
    expect(results).toEqual(['bigint']);
    const named = /INSERT INTO event \(([^)]*)\)/.exec(queries.text)?.[1]?.split(', ') ?? [];
    const columns = await columnsOf('event');
    const needed = [...columns].filter(([, { hasDefault }]) => !hasDefault).map(([name]) => name);
    expect(named.sort()).toEqual([...needed, 'created_at'].sort());
    expect([...columns.keys()].sort()).toEqual(
      fieldsOf('Event')
        .map(({ name }) => columnOf(name))
        .sort(),
    );
  });

  test('an idempotency record: every column', async () => {
    expect((await prepare(claiming(request))).results).toEqual(['text']);
    const named = /INSERT INTO idempotency_record \(([^)]*)\)/.exec(claiming(request).text)?.[1]?.split(', ') ?? [];
    expect(named.sort()).toEqual(
      fieldsOf('IdempotencyRecord')
        .map(({ name }) => columnOf(name))
        .sort(),
    );
    expect((await prepare(recorded)).results).toEqual(['boolean']);
  });
});

describe('the check of a caller', () => {
  const results: Record<string, string[]> = {
    apiKey: ['boolean', 'boolean', 'boolean', 'text[]', 'text[]'],
    member: ['text', 'boolean'],
  };
  test.each(principals.map((principal) => [principal.kind, principal] as const))(
    'of kind %s',
    async (kind, principal) => {
      const check = requireCredential(principal, now);
      if (!check.query) throw new Error('Nothing is read.');
      expect((await prepare(check.query)).results).toEqual(results[kind] ?? ['boolean']);
      const { query } = checkWithOffset({ take: () => undefined }, check);
      if (!query) throw new Error('Nothing is read.');
      expect((await prepare(query)).results).toEqual(['jsonb', 'double precision']);
    },
  );
});

describe('intents and their relations', () => {
  const models = {
    transaction: 'Transaction',
    payout: 'CreditedPayout',
    dispute: 'Dispute',
    customer: 'CustomerAccount',
    wallet: 'CustomerWallet',
  } as const;
  const typesOf = async (table: { name: string; fields: Record<string, string> }) => {
    const columns = await columnsOf(table.name);
    return Object.values(table.fields).map((name) => columns.get(columnOf(name))?.type);
  };

  test.each(Object.entries(models))('every column of %s is read', async (name, model) => {
    const table = relatedTables[name as keyof typeof models];
    const fields = fieldsOf(model);
    expect(Object.keys(table.fields).sort()).toEqual(fields.map((field) => field.name).sort());
    expect([...(await columnsOf(table.name)).keys()].sort()).toEqual(
      fields.map((field) => columnOf(field.name)).sort(),
    );
    const isJson = fields.filter(({ type }) => type === 'Json').map((field) => field.name);
    expect([...table.json]).toEqual(isJson);
  });

  test('the statements return these columns in their order', async () => {
    const scopes = [
      { merchantId: newId(), appId: newId() },
      { merchantId: newId(), appId: null },
    ];
    const intents = await typesOf(paymentIntentTable);
    const all = ['transactions', 'payouts', 'dispute', 'customerAccount'] as const;
    for (const [relations, types] of [
      [new Set<IntentRelation>(), intents],
      [new Set<IntentRelation>(all), [...intents, 'json', 'json', 'json', 'json']],
    ] as const) {
      for (const scope of scopes) {
        for (const ids of [[newId()], [newId(), newId()]]) {
          expect((await prepare(intentsStatement({ scope, ids, relations }))).results).toEqual(types);
        }
        for (const status of [null, 'CREATED'] as const) {
          const page = { scope, status, skip: 0, take: 20, relations };
          expect((await prepare(listStatement(page))).results).toEqual(types);
          const statuses = status ? [status] : [];
          expect((await prepare(countStatement({ scope, statuses }))).results).toEqual(['integer']);
        }
      }
    }
  });
});
