/** The packages as a merchant has them: built in a copy of their sources, packed, and installed into an empty project. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTeardown } from '../setup/teardown.ts';

const root = join(import.meta.dirname, '../..');
const names = ['sdk', 'cli', 'checkout', 'x402'];
/** What `@sluice/x402` depends on. It is taken from the repository, because the test has no registry. */
const depended = ['@x402', 'viem', '@modelcontextprotocol'];
const npm = process.env.npm_execpath ?? 'npm';

export type InstalledPackages = {
  folder: string;
  archives: Map<string, string>;
  /** The project. */
  shop: string;
};

export async function installPackages(): Promise<InstalledPackages> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  buildCopy(folder);
  const archives = new Map<string, string>();
  for (const name of names) {
    runNpm(['pack', '--ignore-scripts', '--pack-destination', folder], join(folder, 'packages', name));
    const file = readdirSync(folder).find((one) => one.startsWith(`sluice-${name}-`) && one.endsWith('.tgz'));
    archives.set(name, join(folder, file ?? 'missing'));
  }
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{ "name": "shop", "version": "1.0.0", "type": "module" }');
  const alone = [...archives].filter(([name]) => name !== 'x402').map(([, archive]) => archive);
  runNpm(['install', '--offline', '--no-audit', '--no-fund', ...alone], shop);
  const paid = join(shop, 'node_modules/@sluice/x402');
  mkdirSync(paid);
  execFileSync('tar', ['-xzf', archives.get('x402') ?? '', '-C', paid, '--strip-components', '1']);
  for (const name of depended) symlinkSync(join(root, 'node_modules', name), join(shop, 'node_modules', name));
  return { folder, archives, shop };
}

/** In a copy, so that tests that run side by side do not build in one folder. */
function buildCopy(folder: string): void {
  cpSync(join(root, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !['dist', 'node_modules'].includes(basename(path)),
  });
  mkdirSync(join(folder, 'node_modules/@sluice'), { recursive: true });
  symlinkSync(join(folder, 'packages/sdk'), join(folder, 'node_modules/@sluice/sdk'));
  for (const name of ['typescript7', '@types', 'undici-types', 'csstype', ...depended]) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  execFileSync(process.execPath, [join(folder, 'packages/build.ts')], { stdio: 'inherit' });
}

function runNpm(args: string[], cwd: string): void {
  const [program, first] = npm.endsWith('.js') ? [process.execPath, [npm]] : [npm, []];
  execFileSync(program, [...first, ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
