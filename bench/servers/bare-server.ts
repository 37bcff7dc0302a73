/**
 * The minimum cost of a gateway's response: node:http and pg read the same rows with the same SQL and return them as JSON, without keys,
 * limits or a schema. Serves `/one/<id>` and `/page`. Configured by DATABASE_URL, APP_ID and PORT.
 */
import { createServer } from 'node:http';
import pg from 'pg';

const { DATABASE_URL: connectionString, APP_ID: appId, PORT: port } = process.env;
const pool = new pg.Pool({ connectionString, max: 5 });

const one = { name: 'one', text: 'SELECT * FROM payment_intent WHERE id = $1 AND app_id = $2 LIMIT 1' };
const page = {
  name: 'page',
  text: 'SELECT * FROM payment_intent WHERE app_id = $1 ORDER BY id DESC LIMIT 20 OFFSET 0',
};
const total = { name: 'total', text: 'SELECT count(*) FROM payment_intent WHERE app_id = $1' };

async function answer(path: string): Promise<unknown> {
  const id = /^\/one\/(.+)$/.exec(path)?.[1];
  if (id !== undefined) return (await pool.query({ ...one, values: [id, appId] })).rows[0];
  const [rows, counted] = await Promise.all([
    pool.query({ ...page, values: [appId] }),
    pool.query({ ...total, values: [appId] }),
  ]);
  return { data: rows.rows, total: counted.rows[0] };
}

const server = createServer((request, response) => {
  answer(request.url ?? '').then(
    (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
