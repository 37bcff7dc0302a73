/** The returns of one deposit are found among the transactions of all payments without reading the whole table. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../setup/database/database.ts';
import { onTeardown } from '../../setup/teardown.ts';

test('the earlier returns of a deposit are found by the index of the beginnings of purposes', async () => {
  const { url, database } = await freshDatabase();
  await database.$executeRaw`
    INSERT INTO outgoing_transaction (id, chain_id, sender, to_address, data, purpose, updated_at)
    SELECT gen_random_uuid(), 1, '0xa', '0xb', '0x',
      CASE WHEN row % 2 = 0 THEN 'return-deposit:1:0x' || md5(row::text) || ':0xc:0' ELSE 'claim:' || row END, gateway_now()
    FROM generate_series(1, 20000) row`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTeardown(() => client.end());
  await client.query('ANALYZE outgoing_transaction');
  // As Prisma prepares it. After some executions, PostgreSQL may choose a plan that does not depend on the value.
  await client.query(`PREPARE returns (text) AS
    SELECT status FROM outgoing_transaction WHERE purpose::text LIKE $1 ORDER BY created_at ASC`);
  const [any] = await database.outgoingTransaction.findMany({
    where: { purpose: { startsWith: 'return-deposit:' } },
    take: 1,
  });
  const prefix = any?.purpose.replace(/0$/, '') ?? '';
  expect(prefix).toMatch(/^return-deposit:1:0x[0-9a-f]{32}:0xc:$/);
  for (let execution = 0; execution < 8; execution += 1) {
    const { rows } = await client.query(`EXPLAIN (COSTS OFF) EXECUTE returns ('${prefix}%')`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('outgoing_transaction_purpose_start_idx');
    expect(plan).not.toContain('Seq Scan');
  }
  expect(await database.outgoingTransaction.count({ where: { purpose: { startsWith: prefix } } })).toBe(1);
});
