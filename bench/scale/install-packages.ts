/**
 * `node bench/scale/install-packages.ts`: installs the Debian packages of `npm run bench -- scale` that are missing. Needs root. The services
 * that the packages bring are not started.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

export const packages = ['postgresql-15', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer'] as const;
/** The script that Debian runs before it starts a service. The exit code 101 forbids the start. */
const POLICY_FILE = '/usr/sbin/policy-rc.d';

export function missingPackages(): string[] {
  return packages.filter((name) => {
    const found = spawnSync('dpkg-query', ['-W', '-f', '$' + '{Status}', name], { encoding: 'utf8' });
    return !found.stdout?.startsWith('install ok installed');
  });
}

function install(names: readonly string[]): void {
  const hasPolicy = existsSync(POLICY_FILE);
  if (!hasPolicy) writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', ...names],
    ]) {
      const done = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
      if (done.status !== 0) throw new Error(`apt-get ${args.join(' ')} ended with ${done.status}.`);
    }
  } finally {
    if (!hasPolicy) rmSync(POLICY_FILE, { force: true });
  }
}

if (import.meta.main) {
  const missing = missingPackages();
  if (missing.length === 0) console.log(`All packages are installed: ${packages.join(', ')}.`);
  else {
    console.log(`Installing ${missing.join(', ')} …`);
    install(missing);
    console.log('Installed.');
  }
}
