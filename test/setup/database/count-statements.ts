/** Counts what a piece of work asks of Postgres, in this process. */
import pg from 'pg';

/** The statements that `work` sends, transactions' own words left out. */
export async function countStatements(work: () => Promise<unknown>): Promise<string[]> {
  const original = pg.Client.prototype.query;
  const statements: string[] = [];
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : String(Reflect.get(Object(first), 'text') ?? '');
    if (!/^(BEGIN|COMMIT|ROLLBACK|LISTEN|SET)/i.test(text)) statements.push(text);
    return Reflect.apply(original, this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return statements;
}
