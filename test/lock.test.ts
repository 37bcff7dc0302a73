import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Entry = { version?: string; resolved?: string; optionalDependencies?: Record<string, string> };
const lock: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);

/** Where a package finds a dependency: in its own node_modules, or in one further up. */
function found(parent: string, name: string): boolean {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (folder === '') return false;
  }
}

describe('the lock file', () => {
  it('names the optional packages of every platform, so that an install works on each', () => {
    const missing = Object.entries(lock.packages).flatMap(([parent, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !found(parent, name))
        .map((name) => `${name} of ${parent}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no host that packages come from', () => {
    expect(Object.values(lock.packages).filter((entry) => entry.resolved?.startsWith('http'))).toEqual([]);
  });

  it('pins every direct dependency exactly', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const versions = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^(npm:[a-z-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  });
});
