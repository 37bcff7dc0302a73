/**
 * A database that the version before wrote (first-edition.json: its rows, table by table, on a real chain): what of it keeps
 * this version from starting, and what of it stays.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../prisma/client.ts';
import { deployMigrations, migrationStatus } from '../../prisma/migrate.ts';
import { secondEditionMigration } from '../../prisma/open-first-edition.ts';
import { firstEditionTermsHash } from '../../src/escrow/first-edition.ts';
import { termsFromJson } from '../../src/escrow/terms.ts';
import { requireSecondEdition } from '../../src/main/require-second-edition.ts';
import { childEnvironment } from '../setup/child-environment.ts';
import { emptyDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const row = z.record(z.string(), z.unknown());
const { named, tables } = z
  .object({ named: z.record(z.string(), z.string()), tables: z.record(z.string(), z.array(row)) })
  .parse(JSON.parse(readFileSync(new URL('first-edition.json', import.meta.url), 'utf8')));
const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

const mainScript = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const idOf = (name: string): string => named[name] ?? '';
const openIds = ['captured', 'authorized', 'disputed', 'charged', 'trial'].map(idOf);

/** `keeps` selects rows. Quotes have expired long ago, unless a test sets another time. */
async function firstEdition(keeps: (row: Record<string, unknown>) => boolean = () => true) {
  const { url, adminUrl } = await emptyDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  onTeardown(() => owner.end());
  await owner.query(`CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL,
    finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`);
  const known = new Set(tables._prisma_migrations?.map(({ migration_name: name }) => name));
  for (const name of readdirSync(migrations).sort()) {
    if (known.has(name)) await owner.query(readFileSync(join(migrations, name, 'migration.sql'), 'utf8'));
  }
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    // Subscriptions and consents refer to each other.
    await admin.query('SET session_replication_role = replica');
    for (const [table, rows] of Object.entries(tables)) {
      const kept = JSON.stringify(rows.filter(keeps));
      await admin.query(`INSERT INTO "${table}" SELECT * FROM jsonb_populate_recordset(NULL::"${table}", $1)`, [kept]);
    }
    await admin.query("UPDATE payment_terms SET authorize_by = '2026-01-01'");
  } finally {
    await admin.end();
  }
  return { url, client: owner };
}

const isFinished = (one: Record<string, unknown>) =>
  !Object.values(one).some((value) => typeof value === 'string' && openIds.includes(value));

const refusal = async (url: string): Promise<string> =>
  await deployMigrations(url).then(
    () => 'deployed',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );

it('is not migrated while a payment may exist that no block has reported yet', async () => {
  const { url, client } = await firstEdition(isFinished);
  await client.query('UPDATE chain_cursor SET finalized_timestamp = $1', [Date.parse('2026-01-01') / 1000]);
  const message = await refusal(url);
  expect(message.split('\n').filter((line) => line.startsWith('  '))).toEqual([
    expect.stringMatching(/^ {2}chain \d+ is not read up to the end of its last quote: wait/),
  ]);
  await client.query('UPDATE chain_cursor SET finalized_timestamp = $1, halted_at = now()', [
    Date.parse('2026-01-01') / 1000 + 1,
  ]);
  expect(await refusal(url)).toMatch(/ {2}chain \d+ is halted: resume it/);
  await client.query('UPDATE chain_cursor SET halted_at = NULL');
  expect(await refusal(url)).toBe('deployed');
});

it('is not migrated while payments or consents are open, which are listed with instructions', async () => {
  const { url, client } = await firstEdition();
  const message = await refusal(url);
  expect(message).toMatch(/^FirstEditionOpen: /);
  const lines = message.split('\n').filter((line) => line.startsWith('  '));
  expect(lines).toHaveLength(openIds.length);
  expect(message).toMatch(
    new RegExp(`payment ${idOf('captured')} .*CAPTURED .*: let it settle after its timelock, or refund it`),
  );
  expect(message).toMatch(new RegExp(`payment ${idOf('authorized')} .*AUTHORIZED .*: capture or cancel it`));
  expect(message).toMatch(new RegExp(`payment ${idOf('disputed')} .*in dispute .*: concede or resolve its dispute`));
  expect(message).toMatch(new RegExp(`subscription ${idOf('trial')} .*ACTIVE .*: cancel it, .* consents again`));
  // The previous version continues to work with it, because nothing was changed.
  expect((await migrationStatus(url)).pending).toContain(secondEditionMigration);
  const { rowCount } = await client.query(
    "SELECT 1 FROM information_schema.columns WHERE table_name = 'payment_terms' AND column_name = 'edition'",
  );
  expect(rowCount).toBe(0);
});

it.each(['api', 'worker', 'indexer'])('prevents %s from starting', async (part) => {
  const { url } = await firstEdition();
  const { status, stderr } = spawnSync(process.execPath, [mainScript, part], {
    env: {
      ...childEnvironment,
      DATABASE_URL: url,
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
      PRICE_TABLE: 'USDC=1',
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status).toBe(1);
  for (const id of openIds) expect(stderr).toContain(id);
});

it('does not prevent the start if nothing is open or no database responds yet', async () => {
  const { url } = await firstEdition(isFinished);
  await requireSecondEdition({ database: { directUrl: url } });
  await requireSecondEdition({ database: { directUrl: 'postgresql://127.0.0.1:1/none' } });
});

it('is not migrated while one of its quotes can be paid or the last event of a payment is not final', async () => {
  const { url, client } = await firstEdition(isFinished);
  const intent = idOf('settled');
  await client.query(
    "UPDATE payment_terms SET authorize_by = now() + interval '1 minute' WHERE payment_intent_id = $1",
    [intent],
  );
  expect(await refusal(url)).toMatch(new RegExp(`payment ${intent} .*: wait until its quote can no longer be paid`));
  await client.query("UPDATE payment_terms SET authorize_by = '2026-01-01'");
  await client.query(
    `UPDATE chain_fact SET status = 'CONFIRMED' WHERE kind = 'Settled'
       AND ref = (SELECT accepted_terms_hash FROM payment_intent WHERE id = $1)`,
    [intent],
  );
  expect(await refusal(url)).toMatch(new RegExp(`payment ${intent} .*: wait until its last block is final`));
});

it('is migrated once all payments are finished, and keeps its data', async () => {
  const { url } = await firstEdition(isFinished);
  const { applied } = await deployMigrations(url);
  expect(applied[0]).toBe(secondEditionMigration);
  expect(await deployMigrations(url)).toEqual({ applied: [] });
  const database = openDatabase({ url });
  onTeardown(() => database.$disconnect());
  const settled = await database.paymentIntent.findUniqueOrThrow({
    where: { id: idOf('settled') },
    include: { terms: true, transactions: { orderBy: { id: 'asc' } }, ledger: true },
  });
  expect(settled).toMatchObject({ status: 'SETTLED', authorizationChainId: 31337 });
  expect(settled.transactions.map(({ type }) => type)).toEqual(['AUTHORIZE', 'CAPTURE', 'SETTLE']);
  expect(settled.ledger.length).toBeGreaterThan(0);
  const [terms] = settled.terms;
  expect(terms).toMatchObject({ edition: 1, termsHash: settled.acceptedTermsHash });
  // It keeps the id of the first contract.
  expect(firstEditionTermsHash({ chainId: 31337, terms: termsFromJson(terms?.terms) })).toBe(terms?.termsHash);
  const subscription = await database.subscription.findUniqueOrThrow({
    where: { id: idOf('cancelled') },
    include: { consent: true },
  });
  expect(subscription).toMatchObject({ status: 'CANCELLED', consent: { edition: 1, chainId: 31337 } });
});

it('lets its subscriptions end with their period', async () => {
  const { url, client } = await firstEdition((one) => isFinished(one) || Object.values(one).includes(idOf('trial')));
  expect(await refusal(url)).toContain(`subscription ${idOf('trial')}`);
  await client.query('UPDATE subscription SET cancel_at_period_end = true WHERE id = $1', [idOf('trial')]);
  expect(await refusal(url)).toBe('deployed');
});
