/**
 * Tests `@sluice/medusa` against the real framework: installs Medusa as the lock file has it, compiles the package against it,
 * inspects and installs the packed package as a merchant does, and runs the tests. Part of `npm run check:all`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inspectArchive } from '../../test/packages/inspect-archive.ts';

const folder = import.meta.dirname;
const root = join(folder, '../..');
const npm = process.env.npm_execpath ?? 'npm';
const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];

const archives = mkdtempSync(join(tmpdir(), 'sluice-medusa-'));
try {
  runNpm(['ci', ...quiet], folder);
  run([join(root, 'packages/build.ts'), 'sdk', 'medusa']);
  for (const name of ['sdk', 'medusa']) {
    runNpm(['pack', '--silent', '--ignore-scripts', '--pack-destination', archives], join(root, 'packages', name));
  }
  const files = readdirSync(archives).map((name) => join(archives, name));
  for (const file of files) inspectArchive(basename(file).startsWith('sluice-sdk-') ? 'sdk' : 'medusa', file);
  runNpm(['install', '--no-save', '--offline', ...quiet, ...files], folder);
  run([join(root, 'node_modules/typescript7/bin/tsc'), '--noEmit', '-p', folder]);
  run([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(folder, 'vitest.config.ts')]);
} finally {
  rmSync(archives, { recursive: true, force: true });
}

function run(args: string[]): void {
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
}

function runNpm(args: string[], cwd: string): void {
  const [program, first] = npm.endsWith('.js') ? [process.execPath, [npm]] : [npm, []];
  execFileSync(program, [...first, ...args], { cwd, stdio: 'inherit' });
}
