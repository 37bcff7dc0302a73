import pg from 'pg';

/** Fills the app up to `count` intents, and returns the id of one in the middle. */
export async function seedIntents(databaseUrl: string, request: { appId: string; count: number }): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO payment_intent (id, app_id, external_id, amount, currency, capture_mode, timelock_duration,
         dispute_start_duration, platform_fee_bps, metadata, updated_at)
       SELECT uuidv7(), $1, 'order-' || number, number % 1000 + 0.99, 'USD', 'AUTOMATIC', 604800, 86400, 100,
         jsonb_build_object('order', number), now()
       FROM generate_series(1, $2::int) AS number`,
      [request.appId, request.count],
    );
    await client.query('VACUUM ANALYZE payment_intent');
    const middle = await client.query<{ id: string }>(
      'SELECT id FROM payment_intent WHERE app_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
      [request.appId, Math.floor(request.count / 2)],
    );
    const id = middle.rows[0]?.id;
    if (id === undefined) throw new Error('Nothing was seeded.');
    return id;
  } finally {
    await client.end();
  }
}
