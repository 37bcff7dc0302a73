/**
 * Builds packages for publication: `node packages/build.ts [sdk|cli|checkout|medusa …]`, by default all of them except medusa,
 * which is compiled against the framework in shops/medusa. The files generated from the OpenAPI document must exist
 * (`node generate.ts`). npm runs this script before it packs a package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules/typescript7/bin/tsc');
const named = process.argv.slice(2);

if (!existsSync(join(root, 'packages/sdk/src/generated/resources.ts'))) {
  throw new Error('The resources have not been generated: run "node generate.ts".');
}
if (named.includes('medusa') && !existsSync(join(root, 'shops/medusa/node_modules/@medusajs/framework'))) {
  throw new Error('The framework is not installed: run "npm ci" in shops/medusa.');
}
for (const name of named.length > 0 ? named : ['sdk', 'cli', 'checkout']) {
  const folder = join(root, 'packages', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const ended = spawnSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.json')], { stdio: 'inherit' });
  if (ended.status !== 0) process.exit(1);
  for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) nameBuiltFiles(join(folder, file));
}

/** The compiler rewrites the extensions of imports in programs, but not in declarations. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(from |import |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
}
