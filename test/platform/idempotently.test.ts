import { expect, test } from 'vitest';
import { type Database, type DatabaseTransaction, Prisma } from '../../prisma/client.ts';
import { guardedDatabase } from '../../prisma/guarded-database.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { GatewayError } from '../../src/errors.ts';
import { firstAnswer } from '../../src/platform/idempotency/first-answer.ts';
import { type IdempotencyRequest, idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../src/platform/idempotency/idempotently.ts';
import { purgeIdempotency } from '../../src/platform/idempotency/purge-idempotency.ts';
import { sealed, unsealed } from '../../src/platform/idempotency/sealed.ts';
import { newId } from '../../src/platform/identifier.ts';
import { deriveKey, unseal } from '../../src/platform/secret-box.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase();
const scopeId = newId();
const sealedUnder = openSecretKeys({ tokenSecret: 'the secret of one installation' }).answers;

function request(key: string, parameters: unknown = {}, more: Partial<IdempotencyRequest> = {}): IdempotencyRequest {
  const made = idempotencyRequest({ scopeId, operation: 'createMerchant', parameters, sealedUnder, headerKey: key });
  if (!made) throw new Error('No request.');
  return { ...made, ...more };
}

type Effect<Result> = (tx: DatabaseTransaction) => Promise<Result>;

/** Runs the effect under the key, and returns whether its result is that of an earlier call. */
async function run<Result>(given: IdempotencyRequest, effect: Effect<Result>, on: Database = database) {
  let replayed = false;
  const onReplay = () => {
    replayed = true;
  };
  const result = await idempotently<Result>(on, { ...given, onReplay }, (write) => write(effect));
  return { result, replayed };
}

function createMerchant(given: IdempotencyRequest) {
  return run(given, (tx) => tx.merchant.create({ data: { id: newId(), name: given.key } }));
}

test('the first result is returned with its types, and the effect runs once', async () => {
  const wanted = request('typed');
  const answer = {
    at: new Date('2026-01-02T03:04:05.678Z'),
    amount: new Prisma.Decimal('123456789012345678901234567890.5'),
    units: 10n ** 40n,
    bytes: new Uint8Array([1, 2, 255]),
    metadata: { $date: 'a word of the caller', nested: [{ $bigint: 'x' }, null, true, 1.5] },
  };
  const first = await run(wanted, async () => ({ ...answer, absent: undefined }));
  const again = await run(wanted, async () => Promise.reject(new Error('twice')));
  expect(first.replayed).toBe(false);
  expect(again).toEqual({ result: answer, replayed: true });
  expect(await firstAnswer(database, wanted)).toEqual({ result: answer, replayed: true });
});

test('fifty concurrent calls run the effect once and receive the same result', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => createMerchant(request('twins'))));
  expect(await database.merchant.count({ where: { name: 'twins' } })).toBe(1);
  expect(new Set(answers.map((answer) => answer.result.id)).size).toBe(1);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
});

test('the same key with other parameters is a mismatch, but another order of the parameters is not', async () => {
  await createMerchant(request('order', { a: 1, b: 2n }));
  expect((await createMerchant(request('order', { b: 2n, a: 1, c: undefined }))).replayed).toBe(true);
  await expect(createMerchant(request('order', { a: 1, b: 3n }))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_MISMATCH',
  });
});

test('the same key in another scope is a separate call', async () => {
  const first = await createMerchant(request('scoped'));
  const other = await createMerchant({ ...request('scoped'), scopeId: newId() });
  expect(other.replayed).toBe(false);
  expect(other.result.id).not.toBe(first.result.id);
});

test('a failed effect leaves its key unused and no data behind', async () => {
  const failing = run(request('fails'), async (tx) => {
    await tx.merchant.create({ data: { id: newId(), name: 'half' } });
    throw new GatewayError('INVALID_STATE', 'No.');
  });
  await expect(failing).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(await database.merchant.count({ where: { name: 'half' } })).toBe(0);
  expect((await createMerchant(request('fails'))).replayed).toBe(false);
});

test('a concurrent call takes over if the first one dies before its commit', async () => {
  const dying = await freshCall();
  await dying.begun;
  const duplicate = createMerchant(request('dies'));
  dying.die();
  expect((await duplicate).replayed).toBe(false);
  await expect(dying.ended).rejects.toThrow('died');
});

test('a call that waits too long is rejected as in flight', async () => {
  const holder = await freshCall('slow');
  await holder.begun;
  // Production waits ten seconds. This verifies the error after a shorter wait.
  const impatient = run(request('slow'), async () => 'never', shortWait(database));
  await expect(impatient).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', retryAfterSeconds: 1 });
  holder.die();
  await expect(holder.ended).rejects.toThrow('died');
});

test('the table exposes neither the key nor a sealed secret, and the caller receives the secret again', async () => {
  const wanted = request('order-7712-with-a-key');
  const issue = () => run(wanted, async () => ({ secret: sealed(wanted, 'sk_test_secret') }));
  const first = await issue();
  const again = await issue();
  expect(unsealed(wanted, first.result.secret)).toBe('sk_test_secret');
  expect(unsealed(wanted, again.result.secret)).toBe('sk_test_secret');
  const table = JSON.stringify(await database.idempotencyRecord.findMany());
  expect(table).not.toContain('order-7712-with-a-key');
  expect(table).not.toContain('sk_test_secret');
  expect(() => unsealed(request('another key'), first.result.secret)).toThrow();
  expect(unsealed(undefined, sealed(undefined, 'plain'))).toBe('plain');
});

test('the table and a guessed key do not reveal a secret without the secret of the installation', async () => {
  const wanted = request('create-key-1');
  await run(wanted, async () => ({ secret: sealed(wanted, 'sk_test_guessed') }));
  const held = await firstAnswer<{ secret: string }>(database, request('create-key-1'));
  const secret = held?.result.secret ?? '';
  expect(unsealed(request('create-key-1'), secret)).toBe('sk_test_guessed');
  // An attacker has the row, its scope, and the idempotency key.
  expect(() =>
    unseal(deriveKey('create-key-1', { salt: scopeId, purpose: 'sluice idempotency seal' }), secret),
  ).toThrow();
  const elsewhere = openSecretKeys({ tokenSecret: 'the secret of another installation' }).answers;
  for (const other of [elsewhere, new Uint8Array(32), new Uint8Array()]) {
    const guess = { ...request('create-key-1'), sealedUnder: other };
    expect(() => unsealed(guess, secret)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  }
  expect(() => unsealed({ ...request('create-key-1'), scopeId: newId() }, secret)).toThrow(GatewayError);
});

test('the purge deletes expired header keys and never a permanent one', async () => {
  await createMerchant(request('young'));
  await createMerchant(request('old'));
  await createMerchant(request('old-permanent'));
  await createMerchant(request('old-permanent', {}, { permanent: true }));
  await createMerchant(request('born-permanent', {}, { permanent: true }));
  await database.$executeRaw`UPDATE idempotency_record SET created_at = now() - interval '3 days'`;
  await createMerchant(request('young-2'));
  await purgeIdempotency({ database, clock: { now: () => new Date() } });
  expect(await firstAnswer(database, request('young-2'))).toBeDefined();
  expect(await firstAnswer(database, request('old'))).toBeUndefined();
  expect(await firstAnswer(database, request('old-permanent'))).toBeDefined();
  expect(await firstAnswer(database, request('born-permanent'))).toBeDefined();
});

test('conflicting keys in body and header, and keys that are too long, are rejected', () => {
  const make = (bodyKey: string | null, headerKey: string | undefined) =>
    idempotencyRequest({ scopeId, operation: 'o', parameters: {}, sealedUnder, bodyKey, headerKey });
  expect(make(null, undefined)).toBeUndefined();
  expect(make('same', 'same')?.permanent).toBe(true);
  expect(make(null, 'k')?.permanent).toBe(false);
  expect(make('k'.repeat(255), undefined)).toBeDefined();
  for (const [body, header] of [
    ['a', 'b'],
    ['', undefined],
    [null, ''],
    ['k'.repeat(256), undefined],
    [null, 'tab\there'],
  ] as const) {
    expect(() => make(body, header)).toThrow(GatewayError);
  }
});

/** A first call on its own connection that holds its key until the test kills it. */
async function freshCall(key = 'dies') {
  const begun = Promise.withResolvers<void>();
  const death = Promise.withResolvers<never>();
  const ended = run(request(key), () => {
    begun.resolve();
    return death.promise;
  });
  ended.catch(() => {});
  return { begun: begun.promise, ended, die: () => death.reject(new Error('died')) };
}

/** The same database, with a lock timeout of 50 ms wherever the claim sets its own. */
function shortWait(source: Database): Database {
  return new Proxy(source, {
    get(target, name, receiver) {
      if (name !== '$transaction') return Reflect.get(target, name, receiver);
      return (work: Effect<unknown>, options: object) => target.$transaction((tx) => work(shortClaim(tx)), options);
    },
  });
}

function shortClaim(tx: DatabaseTransaction): DatabaseTransaction {
  return new Proxy(tx, {
    get(target, name, receiver) {
      if (name !== '$queryRaw') return Reflect.get(target, name, receiver);
      return ({ strings, values }: Prisma.Sql) =>
        target.$queryRaw(Prisma.sql(strings, ...values.map((value) => (value === '10000' ? '50' : value))));
    },
  });
}

test('the effect keeps the lock timeout of its transaction', async () => {
  const query = Prisma.sql`SELECT set_config('lock_timeout', '4321ms', true)`;
  const bounded = guardedDatabase(database, { check: () => ({ query, verify: () => undefined }) });
  const readBound: Effect<string | undefined> = async (tx) => {
    const [row] = await tx.$queryRaw<{ bound: string }[]>`SELECT current_setting('lock_timeout') AS bound`;
    return row?.bound;
  };
  expect((await run(request('bounded'), readBound, bounded)).result).toBe('4321ms');
});

test('a replay does not start the work of the operation again', async () => {
  const first = await createMerchant(request('no work'));
  const again = await idempotently<typeof first.result>(database, request('no work'), () =>
    Promise.reject(new Error('The work began again.')),
  );
  expect(again).toEqual(first.result);
});

test('a call that returns without writing is not stored', async () => {
  const early = await idempotently<string>(database, request('early'), async () => 'nothing to do');
  expect(early).toBe('nothing to do');
  expect(await firstAnswer(database, request('early'))).toBeUndefined();
  expect(await run(request('early'), async () => 'done')).toEqual({ result: 'done', replayed: false });
});

test('a concurrent call that began before the first commit returns the result of the first', async () => {
  const effects: string[] = [];
  const answer = await idempotently<string>(database, request('overtaken'), async (write) => {
    await run(request('overtaken'), async () => 'first');
    return await write(async () => {
      effects.push('second');
      return 'second';
    });
  });
  expect(answer).toBe('first');
  expect(effects).toEqual([]);
});

test('calls without a key all run', async () => {
  const create = () =>
    idempotently<{ id: string }>(database, undefined, (write) =>
      write((tx) => tx.merchant.create({ data: { id: newId(), name: 'keyless' }, select: { id: true } })),
    );
  const [one, two] = [await create(), await create()];
  expect(one.id).not.toBe(two.id);
  expect(await database.merchant.count({ where: { name: 'keyless' } })).toBe(2);
});
