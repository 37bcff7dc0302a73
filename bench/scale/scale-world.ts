/** Shared by the measurements of an installation on several machines. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { localAccounts } from '../../src/local/local-accounts.ts';
import type { Bench } from '../bench.ts';
import { requireOnceEach } from '../measures/measure-renewals.ts';
import { type SeededRenewals, seedRenewals } from '../seeds/seed-renewals.ts';
import { type Cluster, until } from './cluster.ts';
import type { Machines } from './machines.ts';

export type ScaleWorld = Pick<Bench, 'sizes' | 'print'> & { cluster: Cluster; machines: Machines };

const JOB_LIMIT_MS = 240_000;

export async function seedDue({ cluster, machines, sizes }: ScaleWorld, dueAt: Date): Promise<SeededRenewals> {
  const operator = localAccounts.operator.address;
  return await seedRenewals(cluster.directUrl, { demo: machines.demo, count: sizes.jobs, operator, dueAt });
}

export async function untilPaid({ cluster, sizes }: ScaleWorld, { productPlanId }: SeededRenewals): Promise<void> {
  await until(
    `${sizes.jobs} paid renewals`,
    async () => {
      await delay(900);
      const rows = await ask(
        cluster,
        `SELECT count(*) AS count FROM invoice WHERE status = 'PAID'
           AND subscription_id IN (SELECT id FROM subscription WHERE product_plan_id = $1)`,
        [productPlanId],
      );
      return Number(rows[0]?.count) >= sizes.jobs;
    },
    JOB_LIMIT_MS,
  );
}

export async function checkOnce(world: ScaleWorld, seeded: SeededRenewals): Promise<void> {
  await connected(world.cluster, (client) =>
    requireOnceEach(client, { seeded, count: world.sizes.jobs, print: world.print }),
  );
}

export async function ask(cluster: Cluster, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return await connected(cluster, async (client) => (await client.query(text, values)).rows);
}

async function connected<Answer>(cluster: Cluster, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client({ connectionString: cluster.adminUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
