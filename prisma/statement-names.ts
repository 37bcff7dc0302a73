/** Prepared statements per connection. Far more than the frequent ones. */
const LIMIT = 400;

type Statement = { sql: string; args: readonly unknown[] };

/**
 * Names parameterized statements from their second use on, so that a connection parses each once and the server may keep its plan. Returns
 * '' for all others. There are at most `limit` names (default 400), because lists of ever new lengths would otherwise fill the server's
 * memory.
 */
export function statementNames(limit: number = LIMIT): (statement: Statement) => string {
  const names = new Map<string, string>();
  const seenOnce = new Set<string>();
  return ({ sql, args }) => {
    const known = names.get(sql);
    if (known !== undefined || args.length === 0 || names.size >= limit) return known ?? '';
    if (!seenOnce.delete(sql)) {
      if (seenOnce.size >= limit) seenOnce.clear();
      seenOnce.add(sql);
      return '';
    }
    const name = `s${names.size}`;
    names.set(sql, name);
    return name;
  };
}
