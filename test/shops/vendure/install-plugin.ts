/**
 * Builds, packs, inspects and installs the plugin and the SDK into the shop, as a merchant installs them from the registry. Runs once, before the test
 * files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inspectArchive } from '../../packages/inspect-archive.ts';

const root = join(import.meta.dirname, '../../..');
export const shopFolder = join(root, 'shops/vendure');

export default function installPlugin(): void {
  if (!existsSync(join(shopFolder, 'node_modules'))) throw new Error('Run "npm ci" in shops/vendure first.');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shop-'));
  try {
    run(process.execPath, [join(root, 'packages/build.ts'), 'sdk', 'vendure'], root);
    for (const name of ['sdk', 'vendure']) {
      runNpm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], join(root, 'packages', name));
    }
    const archives = readdirSync(folder).map((file) => join(folder, file));
    for (const file of archives) inspectArchive(basename(file).startsWith('sluice-sdk-') ? 'sdk' : 'vendure', file);
    runNpm(
      ['install', '--no-save', '--offline', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...archives],
      shopFolder,
    );
    run(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', shopFolder], shopFolder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNpm(args: string[], cwd: string): void {
  const npm = process.env.npm_execpath ?? 'npm';
  if (npm.endsWith('.js')) run(process.execPath, [npm, ...args], cwd);
  else run(npm, args, cwd);
}

function run(program: string, args: string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
