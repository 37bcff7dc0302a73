/** The deployment files refer only to existing files and parts. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { importedBy } from './image/imports.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const strings = z.record(z.string(), z.string());
const { scripts, dependencies } = z
  .object({ scripts: strings, dependencies: strings })
  .parse(JSON.parse(read('package.json')));
const containerfile = read('docs/operations/containers/Containerfile');

it('the image copies existing files and uses the Node version of the lock file', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(\S+) /gm)].map((match) => match[1] ?? '');
  expect(copied).not.toEqual([]);
  for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
  const nodes = [...containerfile.matchAll(/^FROM node:(\d+)/gm)].map((match) => match[1]);
  const [major] = dependencies.node?.split('.') ?? [];
  expect(new Set(nodes)).toEqual(new Set([major]));
});

it('the image excludes keys, settings and generated files', () => {
  const ignored = read('.dockerignore').split('\n');
  const kept = ['/contracts/out/', '/contracts/cache/', '/contracts/broadcast/', '/coverage/', '/.stamps/'];
  const own = ['node_modules/', '.local/', 'generated/', '.env*', '*.log', ...kept];
  const committed = read('.gitignore').split('\n');
  for (const path of own) {
    expect(committed).toContain(path);
    expect(ignored).toContain(path.replace(/^\/|\/$/g, ''));
  }
  expect(ignored).toContain('.git');
});

it('units, image and compose file start existing parts', () => {
  const parts = ['api', 'worker', 'indexer'];
  for (const part of parts) expect(scripts[part]).toBe(`node src/main.ts ${part}`);
  const started = globSync('docs/operations/systemd/*.service', { cwd: root }).map((unit) => {
    const [, script = '', argument = ''] = /^ExecStart=\S+\/node (\S+) (\S+)$/m.exec(read(unit)) ?? [];
    expect(existsSync(join(root, script)), unit).toBe(true);
    return argument;
  });
  expect(started.toSorted()).toEqual([...parts, 'deploy'].toSorted());
  expect(containerfile).toContain('ENTRYPOINT ["node", "src/main.ts"]');
  expect(containerfile).toContain('CMD ["api"]');
  const compose = read('docs/operations/containers/compose.yml');
  expect([...compose.matchAll(/command: \["(\w+)"\]/g)].map((match) => match[1])).toEqual(parts);
  expect(compose).toContain('["node", "prisma/migrate.ts", "deploy"]');
  expect(existsSync(join(root, 'prisma/migrate.ts'))).toBe(true);
});

it('containers withhold the Postgres superuser from the parts and create the documented role', () => {
  const compose = read('docs/operations/containers/compose.yml');
  const [, script = ''] = /\.\/(\S+):\/docker-entrypoint-initdb\.d\//.exec(compose) ?? [];
  const statements = (text: string) => text.replace(/PASSWORD \S+;/, 'PASSWORD;');
  const [, documented = ''] = /```sql\n(CREATE ROLE[\s\S]+?)```/.exec(read('docs/operations.md')) ?? [];
  expect(statements(read(`docs/operations/containers/${script}`))).toContain(statements(documented));
  expect(compose).not.toMatch(/POSTGRES_(USER|DB)/);
});

it('the image contains every file that its parts import', () => {
  const copied = [...containerfile.matchAll(/^COPY --from=build (?:--\S+ )*\/opt\/sluice\/(\S+) (\S+)$/gm)];
  const paths = copied.map(([, path = '', place]) => {
    expect(place).toBe(path);
    return path;
  });
  const entries = ['src/main.ts', 'prisma/migrate.ts', ...globSync('indexer/**/*.ts', { cwd: root })].filter(
    (file) => !/\.ponder|\.d\.ts$/.test(file),
  );
  const { files } = importedBy(root, entries);
  expect(files.size).toBeGreaterThan(500);
  expect([...files].filter((file) => !paths.some((path) => file.startsWith(`${path}/`)))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['package.json', 'node_modules', 'schema']));
});
