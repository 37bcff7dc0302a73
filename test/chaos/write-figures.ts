import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { checkoutFolder } from '../../src/local/local-settings.ts';

/** Describes where and when the figures were measured. */
export function surroundings(): string {
  const day = new Date().toISOString().slice(0, 10);
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return `${day}, Node ${process.version}, ${availableParallelism()} cores of ${processor}; load of the machine (1 min) ${load} at the end`;
}

/** Replaces the text between the markers of a page in docs/ with the report. */
export function writeFigures(page: string, report: string): void {
  const file = join(checkoutFolder, 'docs', page);
  const text = readFileSync(file, 'utf8');
  const place = /<!-- figures -->[\s\S]*?<!-- end -->/;
  if (!place.test(text)) throw new Error(`${file} has no place for figures.`);
  writeFileSync(
    file,
    text.replace(place, () => `<!-- figures -->\n${report}\n<!-- end -->`),
  );
}
