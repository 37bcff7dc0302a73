/**
 * The reference with which CPU time is compared: node:http and pg over copies of the tables in the schema `reference`, so that no worker
 * reacts to what it writes. It has no credentials, limits, validation or selection. It is configured by DATABASE_URL, APP_ID and PORT. `GET
 * /nothing`, `GET /one/<id>` and `GET /page/<offset>` with the documented relations, `POST /create` with its event.
 */
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';

const { DATABASE_URL: connectionString, APP_ID: appId, PORT: port } = process.env;
const TABLES = ['payment_intent', 'event', 'event_cursor', 'transaction', 'dispute', 'customer_account'];
const transactions = `(SELECT coalesce(json_agg(t ORDER BY t.created_at), '[]') FROM transaction t WHERE t.payment_intent_id = p.id) AS transactions`;
const one = `SELECT p.*, ${transactions},
    (SELECT to_json(d) FROM dispute d WHERE d.payment_intent_id = p.id LIMIT 1) AS dispute,
    (SELECT to_json(c) FROM customer_account c WHERE c.id = p.customer_account_id) AS customer
  FROM payment_intent p WHERE p.id = $1 AND p.app_id = $2`;
const page = `SELECT p.*, ${transactions}
  FROM (SELECT * FROM payment_intent WHERE app_id = $1 ORDER BY id DESC LIMIT 20 OFFSET $2) p ORDER BY p.id DESC`;

const { columns, pattern, data } = await copyTables();
const pool = new pg.Pool({ connectionString, max: 5, idleTimeoutMillis: 0, options: '-c search_path=reference' });

async function copyTables() {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('DROP SCHEMA IF EXISTS reference CASCADE; CREATE SCHEMA reference');
    for (const table of TABLES) {
      await client.query(`CREATE TABLE reference."${table}" (LIKE public."${table}" INCLUDING ALL)`);
      await client.query(`INSERT INTO reference."${table}" SELECT * FROM public."${table}"`);
      await client.query(`ANALYZE reference."${table}"`);
    }
    const named = await client.query<{ name: string }>(
      `SELECT quote_ident(column_name) AS name FROM information_schema.columns
       WHERE table_schema = 'reference' AND table_name = 'payment_intent' AND column_name <> 'id'`,
    );
    const newest = await client.query(
      'SELECT id FROM reference.payment_intent WHERE app_id = $1 ORDER BY created_at DESC LIMIT 1',
      [appId],
    );
    const event = await client.query('SELECT data FROM reference.event WHERE app_id = $1 LIMIT 1', [appId]);
    return {
      columns: named.rows.map(({ name }) => name).join(', '),
      pattern: newest.rows[0]?.id,
      data: event.rows[0]?.data,
    };
  } finally {
    await client.end();
  }
}

async function read(name: string, text: string, values: unknown[]) {
  return (await pool.query({ name, text, values })).rows;
}

async function create(body: { metadata?: unknown }): Promise<unknown> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const id = crypto.randomUUID();
    const inserted = await client.query({
      name: 'intent',
      text: `INSERT INTO payment_intent (id, ${columns}) SELECT $1, ${columns} FROM payment_intent WHERE id = $2 RETURNING *`,
      values: [id, pattern],
    });
    const cursor = await client.query({
      name: 'cursor',
      text: `INSERT INTO event_cursor AS cursor (app_id, last_sequence) VALUES ($1, 1)
        ON CONFLICT (app_id) DO UPDATE SET last_sequence = cursor.last_sequence + 1 RETURNING last_sequence`,
      values: [appId],
    });
    await client.query({
      name: 'event',
      text: 'INSERT INTO event (app_id, sequence, id, type, resource_id, data, created_at) VALUES ($1, $2, $3, $4, $5, $6, now())',
      values: [appId, cursor.rows[0].last_sequence, crypto.randomUUID(), 'payment_intent.created', id, data],
    });
    await client.query('COMMIT');
    return { ...inserted.rows[0], metadata: body.metadata };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const path = request.url ?? '';
  if (path === '/nothing') return { ok: true };
  if (path.startsWith('/one/')) return (await read('one', one, [path.slice(5), appId]))[0];
  if (path.startsWith('/page/')) {
    const rows = await read('page', page, [appId, path.slice(6)]);
    const counted = await read('total', 'SELECT count(*) FROM payment_intent WHERE app_id = $1', [appId]);
    return { rows, total: counted[0].count };
  }
  let text = '';
  for await (const chunk of request) text += chunk;
  return create(JSON.parse(text));
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
