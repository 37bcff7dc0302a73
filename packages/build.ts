/**
 * Builds packages for publication: `node packages/build.ts [sdk|cli|checkout|x402|medusa|vendure …]`. The files generated from the OpenAPI
 * document must exist (`node generate.ts`). npm runs this script before it packs a package. Plugins of shop frameworks are not
 * built by default: their framework is installed only in the test server under `shops`.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules/typescript7/bin/tsc');
const named = process.argv.slice(2);
/** Plugins, and the folder whose dependencies contain their framework. */
const shops: Record<string, string | undefined> = { vendure: 'shops/vendure' };

if (!existsSync(join(root, 'packages/sdk/src/generated/resources.ts'))) {
  throw new Error('The resources have not been generated: run "node generate.ts".');
}
if (named.includes('medusa') && !existsSync(join(root, 'shops/medusa/node_modules/@medusajs/framework'))) {
  throw new Error('The framework is not installed: run "npm ci" in shops/medusa.');
}
for (const name of named.length > 0 ? named : ['sdk', 'cli', 'checkout', 'x402']) {
  const folder = join(root, 'packages', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const shop = shops[name];
  const isCompiled = shop === undefined ? compile(folder) : compileBeside(join(root, shop), name);
  if (!isCompiled) process.exit(1);
  for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) nameBuiltFiles(join(folder, file));
}

function compile(folder: string): boolean {
  const ended = spawnSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.json')], { stdio: 'inherit' });
  return ended.status === 0;
}

/** Compiles a plugin in a copy that has the dependencies of the shop, and the client of this repository, which must be built. */
function compileBeside(shop: string, name: string): boolean {
  if (!existsSync(join(shop, 'node_modules'))) throw new Error(`Run "npm ci" in ${shop} first.`);
  const copy = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  try {
    const packages = join(copy, 'packages');
    for (const entry of ['tsconfig.json', name]) {
      cpSync(join(root, 'packages', entry), join(packages, entry), {
        recursive: true,
        filter: (path) => !['dist', 'node_modules'].includes(basename(path)),
      });
    }
    symlinkSync(join(shop, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(packages, 'node_modules/@sluice'), { recursive: true });
    symlinkSync(join(root, 'packages/sdk'), join(packages, 'node_modules/@sluice/sdk'));
    if (!compile(join(packages, name))) return false;
    cpSync(join(packages, name, 'dist'), join(root, 'packages', name, 'dist'), { recursive: true });
    return true;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The compiler rewrites the extensions of imports in programs, but not in declarations. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(from |import |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
}
