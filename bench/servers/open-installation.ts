import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { freePort, freePorts } from '../../test/setup/free-port.ts';

export type Installation = {
  folder: string;
  demo: Demo;
  databaseUrl: string;
  /** The same database as the superuser, who may create others. */
  adminUrl: string;
  stop(): Promise<void>;
};

const startLimitMs = 240_000;
const portNames = [
  'PORT',
  'PONDER_PORT',
  'LOCAL_POSTGRES_PORT',
  'LOCAL_EVM_PORT_31337',
  'LOCAL_EVM_PORT_31338',
  'LOCAL_SUI_PORT',
];
/** The usual rate limit of a key would be reached, and would distort the measurement. */
export const withoutLimits = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
  RATE_LIMIT_KEYLESS_PER_SECOND: '1000000',
};

/** What `npm start` runs, in a folder of its own that is removed at the end. */
export async function openInstallation(
  options: { environment?: (ports: Record<string, string>) => Record<string, string> } = {},
): Promise<Installation> {
  const folder = join(tmpdir(), `sluice-bench-${crypto.randomUUID()}`);
  // The local Solana listens on the next port too.
  const ports: Record<string, string> = { LOCAL_SOLANA_PORT: String(await freePorts(2)) };
  for (const name of portNames) ports[name] = String(await freePort());
  // The flag of `npm start`.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', join(checkoutFolder, 'src', 'local', 'start.ts')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOCAL_FOLDER: folder,
      LOG_LEVEL: 'warn',
      ...withoutLimits,
      ...ports,
      ...options.environment?.(ports),
    },
    // Ctrl-C reaches it through stop().
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilRunning(child);
    const demo = readDemo(join(folder, 'demo.json'));
    const databaseUrl = /^DATABASE_URL=(.+)$/m.exec(readFileSync(join(folder, 'environment'), 'utf8'))?.[1];
    if (!demo || databaseUrl === undefined)
      throw new Error('The installation did not report its database and demo file.');
    const adminUrl = new URL(databaseUrl);
    adminUrl.username = 'sluice';
    adminUrl.password = readFileSync(join(folder, 'postgres', 'password'), 'utf8').trim();
    return { folder, demo, databaseUrl, adminUrl: adminUrl.href, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function untilRunning(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error(`It did not start:\n${printed}`)), startLimitMs);
    child.once('exit', () => reject(new Error(`It ended:\n${printed}`)));
    child.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (!printed.includes('Sluice runs')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await exit;
}
