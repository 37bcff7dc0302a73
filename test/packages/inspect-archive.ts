/** Checks of an archive of `npm pack` before it is installed: its size, and two packaging linters. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The maximum size of an archive in kilobytes. It is read on every install. */
const LARGEST_KB = { sdk: 80, cli: 20, checkout: 20, x402: 45, medusa: 20, vendure: 30 };

/** How the types are resolved; the CLI has none. Vendure requires its plugins, which are CommonJS. */
const profiles = { sdk: 'esm-only', checkout: 'esm-only', x402: 'esm-only', medusa: 'esm-only', vendure: 'node16' };

export type PackageName = keyof typeof LARGEST_KB;

/** Prints the size. Throws an error that lists the problems. */
export function inspectArchive(name: PackageName, archive: string): void {
  const kilobytes = statSync(archive).size / 1024;
  console.log(`${name}: ${kilobytes.toFixed(1)} KB packed`);
  if (kilobytes >= LARGEST_KB[name]) throw new Error(`${name} is larger than ${LARGEST_KB[name]} KB.`);
  const published = run('publint/src/cli.js', ['run', archive, '--strict']);
  if (published.status !== 0 || !published.output.includes('All good!')) throw new Error(published.output);
  if (name === 'cli') return;
  const args = [archive, '--profile', profiles[name], '--no-definitely-typed'];
  const typed = run('@arethetypeswrong/cli/dist/index.js', args);
  const isFound = name === 'vendure' ? /node16 \(from CJS\)[^💀]+🟢 \(CJS\)/u : /node16 \(from ESM\)[^💀]+🟢 \(ESM\)/u;
  if (typed.status !== 0 || !isFound.test(typed.output)) throw new Error(typed.output);
}

function run(file: string, args: string[]): { status: number | null; output: string } {
  const ended = spawnSync(process.execPath, [join(root, 'node_modules', file), ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  return { status: ended.status, output: `${ended.stdout}${ended.stderr}` };
}
