import pg from 'pg';

/**
 * Drops the schemas of earlier builds once the views point to this build's schema. Returns whether they do. The schema of a build
 * that is still catching up is never dropped, nor is the cache that all builds share.
 */
export async function dropStaleSchemas(options: {
  url: string;
  viewsSchema: string;
  schema: string;
}): Promise<boolean> {
  const client = new pg.Client({ connectionString: options.url, options: '-c lock_timeout=2000' });
  await client.connect();
  try {
    const shown = await client.query<{ table_schema: string }>(
      `SELECT DISTINCT table_schema FROM information_schema.view_table_usage
       WHERE view_schema = $1 AND view_name = 'chain_event'`,
      [options.viewsSchema],
    );
    if (shown.rows[0]?.table_schema !== options.schema) return false;
    const found = await client.query<{ nspname: string }>('SELECT nspname FROM pg_namespace');
    const ofBuilds = new RegExp(`^${options.viewsSchema}_[0-9a-f]{10}$`);
    for (const { nspname } of found.rows) {
      if (ofBuilds.test(nspname) && nspname !== options.schema) await client.query(`DROP SCHEMA "${nspname}" CASCADE`);
    }
    return true;
  } finally {
    await client.end();
  }
}
