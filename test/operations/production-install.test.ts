/** An install without development dependencies runs files generated elsewhere, and contains all of its imports. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { onTeardown } from '../setup/teardown.ts';
import { buildingTools } from './image/building-tools.ts';
import { importedBy } from './image/imports.ts';

const root = join(import.meta.dirname, '../..');
const strings = z.record(z.string(), z.string());
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { dependencies, devDependencies } = z
  .object({ dependencies: strings, devDependencies: strings })
  .parse(JSON.parse(read('package.json')));

/** Everything that a production install starts. */
const started = [
  'src/main.ts',
  'prisma/migrate.ts',
  'indexer/ponder.config.ts',
  'indexer/ponder.schema.ts',
  'indexer/src/index.ts',
  'indexer/src/api/index.ts',
  'contracts/scripts/deploy.ts',
];

describe('the install script without development dependencies', () => {
  const install = () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-install-'));
    onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
    copyFileSync(join(root, 'generate.ts'), join(folder, 'generate.ts'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    return folder;
  };
  const generate = (folder: string, ...flags: string[]) => {
    const ended = spawnSync(process.execPath, ['generate.ts', ...flags], { cwd: folder, encoding: 'utf8' });
    return { status: ended.status, output: `${ended.stdout}${ended.stderr}` };
  };
  const missingFrom = (output: string) =>
    /^These generated files are missing: (.+)\.$/m.exec(output)?.[1]?.split(', ') ?? [];

  it('fails if a generated file is missing, and names the file and the remedy', () => {
    const { status, output } = generate(install());
    expect(status).toBe(1);
    expect(missingFrom(output)).toEqual(
      expect.arrayContaining(['generated/prisma/client.ts', 'generated/rest.ts', 'generated/web/assets/manifest.json']),
    );
    expect(output).toContain('"npm ci --include=dev" and then "npm prune --omit=dev"');
  });

  it('accepts files that were generated elsewhere and runs nothing', () => {
    const folder = install();
    for (const file of missingFrom(generate(folder).output)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'of a build');
    }
    expect(generate(folder)).toEqual({ status: 0, output: '' });
    expect(existsSync(join(folder, '.stamps'))).toBe(false);
    // A stamp that was copied with it refers to other sources.
    mkdirSync(join(folder, '.stamps'));
    writeFileSync(join(folder, '.stamps/rest'), 'the hash of other sources');
    const { status, output } = generate(folder);
    expect(status).toBe(1);
    expect(output).toContain('These steps were run on other sources: rest.');
  });

  it('reports that running a whole installation or a test requires development dependencies', () => {
    const { status, output } = generate(install(), '--development');
    expect(status).toBe(1);
    expect(output).toContain('Run "npm ci --include=dev".');
  });

  it('covers every development dependency that a step runs', () => {
    const known = [...read('generate.ts').matchAll(/tools: \[([^\]]+)\]/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
    );
    const steps = [...read('generate.ts').matchAll(/command: \['((?:src|web)\/[^']+)'\]/g)].map(
      ([, file = '']) => file,
    );
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const imported = [...importedBy(root, [...steps, 'web/vite.config.ts']).packages.keys()];
    expect(known).toEqual(expect.arrayContaining(imported.filter((name) => name in devDependencies)));
    expect(known.filter((name) => !(name in devDependencies))).toEqual([]);
  });
});

describe('a production install', () => {
  it('imports only dependencies, each of which can be resolved', () => {
    const { packages: imported } = importedBy(root, started);
    expect(imported.size).toBeGreaterThan(25);
    const others = [...imported].filter(([name]) => !(name in dependencies));
    expect(others.map(([name, files]) => `${name}: ${files[0]}`)).toEqual([]);
  });

  it('contains no compiler, forge or browser, which npm would also install for an optional peer', () => {
    const locked = z
      .object({
        packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), devOptional: z.boolean().optional() })),
      })
      .parse(JSON.parse(read('package-lock.json'))).packages;
    const installed = Object.entries(locked)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(installed.length).toBeGreaterThan(300);
    expect(installed.filter((name) => buildingTools.some((pattern) => matchesGlob(name, pattern)))).toEqual([]);
    expect(Object.entries(locked).filter(([, { devOptional }]) => devOptional)).toEqual([]);
  });
});
