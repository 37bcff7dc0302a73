/** Statements that each connection keeps parsed: far more than come often. */
const LIMIT = 400;

type Statement = { sql: string; args: readonly unknown[] };

/**
 * Names statements with parameters that come a second time, so that a connection parses each once and the server may keep
 * its plan; '' for all others. At most `limit` names (default 400): lists of ever new lengths would fill the
 * server's memory.
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
