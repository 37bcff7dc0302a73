/** Observes the statements that this process sends to Postgres. */
import pg from 'pg';

export type SentStatement = { text: string; values: readonly unknown[] };

/** The texts of the statements that `work` sends, except those that begin and end transactions or check a connection. */
export async function countStatements(work: () => Promise<unknown>): Promise<string[]> {
  return (await sentStatements(work)).map(({ text }) => text);
}

/** The statements that `work` sends, with their parameters, except those that begin and end transactions. */
export async function sentStatements(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const original = pg.Client.prototype.query;
  const statements: SentStatement[] = [];
  pg.Client.prototype.query = function noted(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const { text = '', values } =
      typeof first === 'string' ? { text: first } : (Object(first) as Partial<SentStatement>);
    if (!/^(BEGIN|COMMIT|ROLLBACK|LISTEN|SET|SELECT 1$)/i.test(text))
      statements.push({ text, values: [...(values ?? [])] });
    return Reflect.apply(original, this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return statements;
}
