import pg from 'pg';
import { type Database, openDatabase } from '../../prisma/client.ts';
import { readEvents } from '../../src/events/store.ts';
import { newId } from '../../src/platform/identifier.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';

const READS = 300;
const PAGE = 100;
const FEW = 1_000;
const CHUNK = 500_000;

/** Pages of 100 events at random places of a long sequence, compared with a short one in an almost empty table. */
export async function measureSequence({ installation, sizes, print }: Bench): Promise<string> {
  const { databaseUrl, demo } = installation;
  const client = new pg.Client({ connectionString: databaseUrl });
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await client.connect();
  try {
    const [short, long] = [await newApp(client, demo.appId), await newApp(client, demo.appId)];
    await fill(client, { appId: short, count: FEW });
    const few = await readPages(database, { appId: short, count: FEW });
    await fill(client, { appId: long, count: sizes.events });
    const many = await readPages(database, { appId: long, count: sizes.events });
    const rows = [few, many].map(({ count, p50Ms, p99Ms }) => {
      const [p50Ratio, p99Ratio] = [p50Ms / few.p50Ms, p99Ms / few.p99Ms].map((ratio) => ratio.toFixed(2));
      return `| ${count.toLocaleString('en')} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${p50Ratio} | ${p99Ratio} |`;
    });
    print(rows.join('\n'));
    return `| a page of ${PAGE} events, out of | p50 ms | p99 ms | p50, times the short one | p99 |\n|---:|---:|---:|---:|---:|\n${rows.join('\n')}`;
  } finally {
    await database.$disconnect();
    await client.end();
  }
}

async function newApp(client: pg.Client, like: string): Promise<string> {
  const id = newId();
  await client.query(
    `INSERT INTO app (id, merchant_id, name, mode, updated_at)
     SELECT $1, merchant_id, 'Bench', mode, now() FROM app WHERE id = $2`,
    [id, like],
  );
  return id;
}

async function fill(client: pg.Client, { appId, count }: { appId: string; count: number }): Promise<void> {
  for (let first = 1; first <= count; first += CHUNK) {
    await client.query(
      `INSERT INTO event (app_id, sequence, id, type, resource_id, data)
       SELECT $1, number, uuidv7(), 'payment_intent.captured', uuidv7(), jsonb_build_object('id', number, 'status', 'CAPTURED')
       FROM generate_series($2::bigint, $3::bigint) AS number`,
      [appId, first, Math.min(count, first + CHUNK - 1)],
    );
  }
  await client.query('INSERT INTO event_cursor (app_id, last_sequence) VALUES ($1, $2)', [appId, count]);
  await client.query('VACUUM ANALYZE event');
}

async function readPages(database: Database, { appId, count }: { appId: string; count: number }) {
  const spans: number[] = [];
  for (let turn = 0; turn < READS + PAGE; turn += 1) {
    const after = BigInt(Math.floor(Math.random() * (count - PAGE)));
    const askedAt = performance.now();
    const events = await readEvents(database, { appId, after, limit: PAGE });
    // The first hundred warm up.
    if (turn >= PAGE) spans.push(performance.now() - askedAt);
    if (events.length !== PAGE) throw new Error(`A page of ${events.length}.`);
  }
  return { count, p50Ms: percentile(spans, 50), p99Ms: percentile(spans, 99) };
}
