import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { localAccounts } from '../src/local/local-accounts.ts';
import type { Bench } from './bench.ts';
import { seedRenewals } from './seed-renewals.ts';

const POLL_MS = 500;
/** Beyond what a slow machine takes for one. */
const LIMIT_MS_EACH = 2_000;

/**
 * Subscriptions that are all due in the same minute, the worker killed (-9) when a third of them is paid: until every one
 * is paid, and then whether each was charged exactly once.
 */
export async function measureRenewals({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl, folder } = installation;
  const count = sizes.renewals;
  const dueAt = new Date();
  const { productPlanId } = await seedRenewals(databaseUrl, {
    demo,
    count,
    operator: localAccounts.operator.address,
    dueAt,
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const startedAt = performance.now();
    let paid = 0;
    let killed = false;
    while (paid < count) {
      if (performance.now() - startedAt > 60_000 + count * LIMIT_MS_EACH) throw new Error(`Only ${paid} were paid.`);
      await delay(POLL_MS);
      paid = await number(client, `SELECT count(*) FROM invoice WHERE status = 'PAID' AND ${ofPlan}`, [productPlanId]);
      if (killed || paid < count / 3) continue;
      killed = true;
      process.kill(Number(readFileSync(join(folder, 'worker.pid'), 'utf8')), 'SIGKILL');
      print(`${paid} paid; the worker is killed`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const charges = await number(client, `SELECT count(*) FROM chain_fact WHERE kind = 'Charged'`);
    const consents = await number(
      client,
      `SELECT count(DISTINCT args ->> 'consentId') FROM chain_fact WHERE kind = 'Charged'`,
    );
    if (charges !== count || consents !== count) throw new Error(`${charges} charges of ${consents} consents.`);
    const row = `| ${count} | ${seconds.toFixed(0)} | ${(count / seconds).toFixed(1)} | ${charges} |`;
    print(row);
    return `| renewals due at once, a worker killed | until all are paid, s | per second | charges on chain |\n|---:|---:|---:|---:|\n${row}`;
  } finally {
    await client.end();
  }
}

const ofPlan = 'subscription_id IN (SELECT id FROM subscription WHERE product_plan_id = $1)';

async function number(client: pg.Client, text: string, values: string[] = []): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text, values);
  return Number(rows[0]?.count ?? 0);
}
