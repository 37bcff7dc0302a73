/** Creating an intent on the wire: its round trips, its locks, and what is left where it ends in the middle. */
import { expect, test } from 'vitest';
import { type Database, openBoundedDatabase, Prisma, transaction } from '../../prisma/client.ts';
import { guardedDatabase } from '../../prisma/guarded-database.ts';
import { createApp } from '../../src/auth/create-app.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { readEvents } from '../../src/events/store.ts';
import { createPaymentIntent } from '../../src/payments/create-payment-intent.ts';
import { paymentIntentFields } from '../../src/payments/payment-intent-fields.ts';
import { databaseFault } from '../../src/platform/database/database-fault.ts';
import { type IdempotencyRequest, idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { newId } from '../../src/platform/identifier.ts';
import { countStatements } from '../setup/database/count-statements.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { openWireTurns } from '../setup/database/wire-turns.ts';
import { onTeardown } from '../setup/teardown.ts';

const fresh = await freshDatabase({ poolSize: 15 });
const { database } = fresh;
const clock = { now: () => new Date('2030-01-01T00:00:00.000Z') };

async function newScope() {
  const merchant = await createMerchant({ database }, { name: 'M' });
  const app = await createApp({ database }, { merchantId: merchant.id, name: 'A', mode: 'TEST' });
  return { merchantId: merchant.id, appId: app.id };
}
type Scope = Awaited<ReturnType<typeof newScope>>;

function keyed({ appId }: Scope, key: string, parameters: unknown = {}): IdempotencyRequest | undefined {
  const sealedUnder = openSecretKeys({}).answers;
  return idempotencyRequest({
    scopeId: appId,
    operation: 'createPaymentIntent',
    parameters,
    sealedUnder,
    headerKey: key,
  });
}

function open(options: { url?: string; isPooled?: boolean } = {}): Database {
  const bounds = { connectMs: 2_000, lockMs: 400, statementMs: 4_000, idleTransactionMs: 4_000 };
  const { url = fresh.url, isPooled = false } = options;
  const opened = openBoundedDatabase({ url, isPooled, writes: 3, reads: 2, bounds });
  onTeardown(() => opened.$disconnect());
  return opened;
}

/** Everything that a create writes. */
const written = () =>
  Promise.all([
    database.paymentIntent.findMany({ orderBy: { id: 'asc' } }),
    database.event.findMany({ orderBy: { id: 'asc' } }),
    database.idempotencyRecord.findMany({ orderBy: { key: 'asc' } }),
    database.eventCursor.findMany({ orderBy: { appId: 'asc' } }),
    database.$queryRaw`SELECT id::text FROM graphile_worker.jobs ORDER BY id`,
  ]);

test('takes two round trips and two statements, its key and the check of its caller among them', async () => {
  const scope = await newScope();
  const wire = await openWireTurns(fresh.url, 'sluice-writes');
  const verified: unknown[] = [];
  const guarded = guardedDatabase(open({ url: wire.url }), {
    check: () => ({ query: Prisma.sql`SELECT 'good' AS caller`, verify: (row) => verified.push(row) }),
  });
  const create = (key: string) =>
    createPaymentIntent(
      { database: guarded, clock },
      { scope, fields: { amount: '1' }, idempotency: keyed(scope, key) },
    );
  // The first ones open the connection and name the statements.
  for (const key of ['one', 'two', 'three']) await create(key);
  const before = wire.turns();
  await create('four');
  expect(wire.turns() - before).toBe(2);
  expect(verified).toEqual(Array(4).fill({ caller: 'good' }));
  const statements = await countStatements(() =>
    createPaymentIntent({ database, clock }, { scope, fields: { amount: '1' }, idempotency: keyed(scope, 'five') }),
  );
  // The notification of an earlier create, which is sent after its commit, may fall into the same moment.
  expect(statements.filter((text) => !text.includes('pg_notify'))).toHaveLength(2);
});

test('through a pooler, which takes no names, one statement waits for the other', async () => {
  const scope = await newScope();
  const database = open({ isPooled: true });
  for (const amount of ['1', '2', '3']) {
    const intent = await createPaymentIntent({ database, clock }, { scope, fields: { amount } });
    expect(intent.amount.toFixed()).toBe(amount);
  }
  expect((await readEvents(database, { appId: scope.appId, after: 0n, limit: 9 })).map((e) => e.sequence)).toEqual([
    1n,
    2n,
    3n,
  ]);
});

test('what Prisma’s own append and hand-written creates write at once has one sequence, without gaps, in commit order', async () => {
  const scope = await newScope();
  // Fails after the number was given out, while the cursor is locked.
  await database.$executeRaw`CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.data->>'externalId' = 'refused' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`;
  await database.$executeRaw`CREATE TRIGGER refuse_event BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION refuse_event()`;
  const seen: bigint[] = [];
  let writing = true;
  const reader = (async () => {
    for (let last = false; !last; ) {
      last = !writing;
      const events = await readEvents(database, { appId: scope.appId, after: seen.at(-1) ?? 0n, limit: 50 });
      seen.push(...events.map(({ sequence }) => sequence));
    }
  })();
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, async (_, writer) => {
      let made = 0;
      for (let turn = 0; turn < 12; turn++) {
        const externalId = (writer + turn) % 3 === 0 ? 'refused' : `${writer}`;
        const create =
          (writer + turn) % 4 === 1
            ? transaction(database, (tx) =>
                appendEvents(tx, scope.appId, [
                  { type: 'customer.created', resourceId: newId(), data: { externalId } },
                ]),
              )
            : createPaymentIntent({ database, clock }, { scope, fields: { amount: '1', externalId } });
        const done = await create.then(
          () => true,
          (error: unknown) => !String(error).includes('refused') && Promise.reject(error),
        );
        expect(done).toBe(externalId !== 'refused');
        if (done) made += 1;
      }
      return made;
    }),
  );
  writing = false;
  await reader;
  await database.$executeRaw`DROP TRIGGER refuse_event ON event`;
  const total = outcomes.reduce((sum, made) => sum + made, 0);
  expect(total).toBe(96);
  // A reader that goes on after the last number it saw has missed none.
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => BigInt(index + 1)));
});

test('creates one intent for twenty concurrent calls with one key, and rejects other parameters', async () => {
  const scope = await newScope();
  let replays = 0;
  const create = (parameters: unknown) => {
    const request = keyed(scope, 'twins', parameters);
    const onReplay = () => {
      replays += 1;
    };
    const idempotency = request && { ...request, onReplay };
    return createPaymentIntent({ database, clock }, { scope, fields: { amount: '10.5' }, idempotency });
  };
  const answers = await Promise.all(Array.from({ length: 20 }, () => create({ amount: '10.5' })));
  expect(replays).toBe(19);
  expect(new Set(answers.map((intent) => JSON.stringify(paymentIntentFields(intent)))).size).toBe(1);
  expect(await database.paymentIntent.count({ where: { appId: scope.appId } })).toBe(1);
  expect(await database.event.count({ where: { appId: scope.appId } })).toBe(1);
  const [first] = answers;
  const row = await database.paymentIntent.findFirstOrThrow({ where: { appId: scope.appId } });
  expect(first).toEqual(row);
  await expect(create({ amount: '11' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
});

test('reports a call as in progress if another with its key runs too long', { timeout: 60_000 }, async () => {
  const scope = await newScope();
  const request = keyed(scope, 'slow');
  const create = () =>
    createPaymentIntent({ database, clock }, { scope, fields: { amount: '1' }, idempotency: request });
  const before = await written();
  const held = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const holder = transaction(database, async (tx) => {
    // The wait of 10 s is production's: the first call does not end before it is over.
    await tx.$executeRaw`INSERT INTO idempotency_record (app_id, key, fingerprint, result)
      SELECT ${scope.appId}::uuid, encode(sha256(convert_to(${`${scope.appId}\nslow`}, 'UTF8')), 'hex'), '', 'null'`;
    held.resolve();
    await ended.promise;
    throw new Error('died');
  });
  const died = expect(holder).rejects.toThrow('died');
  await held.promise;
  await expect(create()).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', retryAfterSeconds: 1 });
  ended.resolve();
  await died;
  expect(await written()).toEqual(before);
  expect((await create()).status).toBe('CREATED');
});

test('a connection that is cut between the statements leaves nothing, and the key is free', async () => {
  const scope = await newScope();
  const proxy = await openDatabaseProxy(fresh.url);
  const cut = open({ url: proxy.url });
  let isCut = false;
  // Asked for between the two statements.
  const cutting = {
    now() {
      if (!isCut) void proxy.turn('dropped');
      isCut = true;
      return clock.now();
    },
  };
  const before = await written();
  const create = () =>
    createPaymentIntent(
      { database: cut, clock: cutting },
      { scope, fields: { amount: '1' }, idempotency: keyed(scope, 'cut') },
    );
  expect(await create().catch(databaseFault)).toBe('away');
  expect(isCut).toBe(true);
  await proxy.turn('open');
  // The server notices by itself that the connection is gone.
  await expect.poll(written).toEqual(before);
  expect((await create()).status).toBe('CREATED');
});

test('what the decision throws, and what the caller’s check throws, leaves nothing', async () => {
  const scope = await newScope();
  const before = await written();
  const revoked = guardedDatabase(database, {
    check: () => ({
      query: Prisma.sql`SELECT 1 AS one`,
      verify: () => {
        throw new Error('revoked');
      },
    }),
  });
  const idempotency = keyed(scope, 'refused');
  const create = (on: Database, fields: object = {}) =>
    createPaymentIntent({ database: on, clock }, { scope, fields: { amount: '1', ...fields }, idempotency });
  await expect(create(revoked)).rejects.toThrow('revoked');
  await expect(create(database, { customerAccountId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await written()).toEqual(before);
});

test('a cursor that is locked for too long is a fault that passes, and the intent is not there', async () => {
  const scope = await newScope();
  await createPaymentIntent({ database, clock }, { scope, fields: { amount: '1' } });
  const bounded = open();
  const before = await written();
  const held = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const holder = transaction(database, async (tx) => {
    await tx.$queryRaw`SELECT 1 AS one FROM event_cursor WHERE app_id = ${scope.appId}::uuid FOR UPDATE`;
    held.resolve();
    await ended.promise;
  });
  await held.promise;
  const create = () =>
    createPaymentIntent(
      { database: bounded, clock },
      { scope, fields: { amount: '1' }, idempotency: keyed(scope, 'late') },
    );
  expect(await create().catch(databaseFault)).toBe('lock');
  ended.resolve();
  await holder;
  expect(await written()).toEqual(before);
  expect((await create()).status).toBe('CREATED');
});

test('a table that is locked for too long is a fault that passes, and no twin, where the call has no key', async () => {
  const scope = await newScope();
  const waiting = open();
  await transaction(database, async (tx) => {
    await tx.$executeRaw`LOCK TABLE app IN ACCESS EXCLUSIVE MODE`;
    const refused = await createPaymentIntent({ database: waiting, clock }, { scope, fields: { amount: '1' } }).catch(
      (error: unknown) => error,
    );
    expect(databaseFault(refused)).toBe('lock');
  });
});

test('a key whose claim was committed without an answer is free again', async () => {
  const scope = await newScope();
  const create = () =>
    createPaymentIntent({ database, clock }, { scope, fields: { amount: '1' }, idempotency: keyed(scope, 'half') });
  const first = await create();
  await database.idempotencyRecord.updateMany({
    where: { appId: scope.appId },
    data: { result: Prisma.JsonNull },
  });
  await expect(create()).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', retryable: true });
  const second = await create();
  expect(second.id).not.toBe(first.id);
  expect((await create()).id).toBe(second.id);
});
