/**
 * `npm run test:postgres -- 15 [arguments of vitest]`: runs tests on another major version of PostgreSQL, from Debian's package
 * (`apt-get install postgresql-15`), in a temporary folder. `18` runs them on the bundled version, as `npm test` does.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';

const BUNDLED = '18';
const PASSWORD = 'test';

const [version = '', ...rest] = process.argv.slice(2);
if (!/^\d+$/.test(version)) {
  console.error('Usage: npm run test:postgres -- <major version> [arguments of vitest]');
  process.exit(1);
}
process.exit(version === BUNDLED ? await runTests({}) : await runOn(`/usr/lib/postgresql/${version}/bin`));

async function runOn(binaries: string): Promise<number> {
  if (!existsSync(join(binaries, 'postgres'))) {
    console.error(`${binaries} has no server: apt-get install postgresql-${version}`);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=off`;
  const run = (name: string, args: string[]) => {
    const done = spawnSync(join(binaries, name), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (done.status !== 0) throw new Error(`${name} ended with ${done.status}.`);
  };
  try {
    run('initdb', ['-D', data, '-U', 'admin', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '-N']);
    run('pg_ctl', ['-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start']);
    return await runTests({ TEST_DATABASE_URL: `postgresql://admin:${PASSWORD}@127.0.0.1:${port}/postgres` });
  } finally {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTests(environment: Record<string, string>): Promise<number> {
  const child = spawn('vitest', ['run', ...rest], { env: { ...process.env, ...environment }, stdio: 'inherit' });
  // The tests receive Ctrl-C, too. The server is stopped after they have ended.
  process.on('SIGINT', () => undefined);
  return await new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  return { uid, gid };
}
