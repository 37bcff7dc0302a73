import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Entry = { version?: string; resolved?: string; optionalDependencies?: Record<string, string> };
const root = join(import.meta.dirname, '..');
const lock: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);

/** Where a package finds a dependency: in its own node_modules, or in one of a parent folder. */
function found(parent: string, name: string): boolean {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (folder === '') return false;
  }
}

describe('the lock file', () => {
  it('lists the optional packages of every platform, so that it can be installed on each', () => {
    const missing = Object.entries(lock.packages).flatMap(([parent, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !found(parent, name))
        .map((name) => `${name} of ${parent}`),
    );
    expect(missing).toEqual([]);
  });

  it('contains no package host', () => {
    expect(Object.values(lock.packages).filter((entry) => entry.resolved?.startsWith('http'))).toEqual([]);
  });

  it('pins every direct dependency exactly', () => {
    const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: root })];
    const versions = manifests.flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
      return Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies });
    });
    expect(versions.filter(([, version]) => !/^(npm:[a-z-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  });

  it('links each package of this repository to its folder', () => {
    for (const file of globSync('packages/*/package.json', { cwd: root })) {
      const { name, version } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      const folder = file.replace(/.package\.json$/, '').replaceAll('\\', '/');
      expect(lock.packages[`node_modules/${name}`]).toEqual({ resolved: folder, link: true });
      expect(lock.packages[folder]?.version).toBe(version);
    }
  });
});
