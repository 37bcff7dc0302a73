/** Counts the statements that this process sends to Postgres. */
import pg from 'pg';

/** The statements that `work` sends, except those that begin and end transactions. */
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
