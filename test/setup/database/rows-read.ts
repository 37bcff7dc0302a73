/** Counts the rows that a statement reads from a table, with the plan that the server keeps for it, whatever its parameters are. */
import pg from 'pg';
import type { SentStatement } from './count-statements.ts';

type PlanNode = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Operation?: string;
  Plans?: PlanNode[];
};

/** Runs the statement and rolls it back. */
export async function rowsRead(url: string, { text, values }: SentStatement, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE measured AS ${text}`);
    const args = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE measured${args}`);
    await client.query('ROLLBACK');
    return scanned(rows[0]['QUERY PLAN'][0].Plan, table);
  } finally {
    await client.end();
  }
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  return pg.escapeLiteral(String(value));
}

function scanned(node: PlanNode, table: string): number {
  const isScan = node['Relation Name'] === table && node.Operation === undefined;
  const own = isScan ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + scanned(child, table), 0);
}
