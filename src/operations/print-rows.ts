import type { Row } from './operations-world.ts';

/** Prints rows as a table with a heading, or a single row as a list, so that long values can be copied. */
export function printRows(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'Nothing.';
  const names = Object.keys(first);
  if (rows.length === 1) {
    const width = Math.max(...names.map((name) => name.length));
    return names.map((name) => `${name.padEnd(width)}  ${print(first[name])}`).join('\n');
  }
  const cells = [names, ...rows.map((row) => names.map((name) => print(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function print(value: Row[string] | undefined): string {
  return value === null || value === undefined ? '-' : String(value);
}
