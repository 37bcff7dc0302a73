/** The changed fields of an entry. */
export type Change = { field: string; before: string | null; after: string | null };

export function changesOf(entry: { readonly before?: unknown; readonly after?: unknown }): Change[] {
  const [before, after] = [recordOf(entry.before), recordOf(entry.after)];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.map((field) => ({ field, before: shown(before[field]), after: shown(after[field]) }));
}

/** Null for a missing value. Strings are unchanged, and all other values are JSON. */
function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
