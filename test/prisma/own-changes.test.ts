/** A process is notified of its own changes of credentials by any statement before the statement returns. */
import { expect, test } from 'vitest';
import { briefTransaction } from '../../prisma/brief-transaction.ts';
import {
  type Database,
  onOwnChange,
  openBoundedDatabase,
  openDatabase,
  Prisma,
  transaction,
} from '../../prisma/client.ts';
import { guardedDatabase } from '../../prisma/guarded-database.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const { database: other, url } = await freshDatabase();
const id = newId();
await other.platformCredential.create({
  data: { id, role: 'OPERATOR', name: 'Ada', prefix: 'op_', keyHash: new Uint8Array(32) },
});

const bounds = { connectMs: 10_000, lockMs: 10_000, statementMs: 10_000, idleTransactionMs: 10_000 };
const opened: Record<string, Database> = {
  'one pool': openDatabase({ url }),
  'one pool behind a pooler': openDatabase({ url, isPooled: true }),
  'several pools': openBoundedDatabase({ url, isPooled: false, writes: 2, reads: 2, bounds }),
  'several pools behind a pooler': openBoundedDatabase({ url, isPooled: true, writes: 2, reads: 2, bounds }),
};
onTeardown(async () => void (await Promise.all(Object.values(opened).map((each) => each.$disconnect()))));

let times = 0;
/** An end that the credential does not have yet. */
function nextEnd(): Date {
  times += 1;
  return new Date(times);
}
const change = () =>
  Prisma.sql`UPDATE platform_credential SET revoked_at = ${nextEnd()}::timestamptz WHERE id = ${id}::uuid`;

type Step = 'within' | 'notified' | 'answered';
type Way = (database: Database, within: () => void) => Promise<unknown>;

/** `within` is called after the change and before its commit. */
const inSteps: Record<string, Way> = {
  'a transaction': (database, within) =>
    transaction(database, async (tx) => {
      await tx.platformCredential.update({ where: { id }, data: { revokedAt: nextEnd() } });
      within();
    }),
  'the first statement of a brief transaction': (database, within) =>
    briefTransaction(database, {
      opening: (caller) =>
        Prisma.sql`WITH changed AS (${change()} RETURNING true) SELECT ${caller} AS caller FROM changed`,
      writing: () => {
        within();
        return Prisma.sql`SELECT 1 AS nothing`;
      },
    }),
};
const atOnce: Record<string, Way> = {
  'one statement': (database) => database.platformCredential.update({ where: { id }, data: { revokedAt: nextEnd() } }),
  'one statement by hand': (database) => database.$executeRaw(change()),
  'the second statement of a brief transaction': (database) =>
    briefTransaction(database, { opening: (caller) => Prisma.sql`SELECT ${caller} AS caller`, writing: change }),
};

async function stepsOf(way: Way, database: Database): Promise<Step[]> {
  const steps: Step[] = [];
  const stop = onOwnChange(database, () => steps.push('notified'));
  await way(database, () => steps.push('within')).then(() => steps.push('answered'));
  stop();
  return steps;
}

for (const [over, database] of Object.entries(opened)) {
  test.each(Object.entries(inSteps))(`over ${over}, %s notifies of its changes after commit`, async (_name, way) => {
    expect(await stepsOf(way, database)).toEqual(['within', 'notified', 'answered']);
  });

  test.each(Object.entries(atOnce))(`over ${over}, %s notifies of its changes`, async (_name, way) => {
    expect(await stepsOf(way, database)).toEqual(['notified', 'answered']);
    const guarded = guardedDatabase(database, { check: () => ({ query: null, verify: () => undefined }) });
    expect(await stepsOf(way, guarded)).toEqual(['notified', 'answered']);
  });

  test(`over ${over}, other processes and reads do not notify`, async () => {
    expect(await stepsOf(() => other.$executeRaw(change()), database)).toEqual(['answered']);
    expect(await stepsOf((client) => client.platformCredential.count(), database)).toEqual(['answered']);
  });
}
