/**
 * One installation for all browser tests of a run: what `npm start` runs, on ports and in a folder of its own. It lives beside
 * the run's Postgres, outlives the files that use it, and starts when the first of them asks; most runs never ask.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, stopProcess } from '../../../src/local/child-process.ts';
import { type Demo, readDemo } from '../../../src/local/demo-file.ts';
import { checkoutFolder } from '../../../src/local/local-settings.ts';
import { freePort } from '../free-port.ts';
import { type Mailbox, startMailbox } from '../mail/start-mailbox.ts';

/** What the server responds with. */
export type StandingInstallation = { demo: Demo; databaseUrl: string; folder: string };

export type InstallationServer = {
  /** GET /installation answers when it stands; GET /mails?to= what it has mailed to an address, oldest first. */
  url: string;
  close(): Promise<void>;
};

const START_LIMIT_MS = 400_000;
const STOP_LIMIT_MS = 45_000;
const ATTEMPTS = 2;

const portNames = [
  'PORT',
  'PONDER_PORT',
  'LOCAL_POSTGRES_PORT',
  'LOCAL_EVM_PORT_31337',
  'LOCAL_EVM_PORT_31338',
  'LOCAL_SOLANA_PORT',
  'LOCAL_SUI_PORT',
];

/** `makeDatabase` is asked once, for a database with all migrations and no rows. */
export async function openInstallationServer(makeDatabase: () => Promise<string>): Promise<InstallationServer> {
  const folder = join(tmpdir(), `sluice-test-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
  const closers: (() => Promise<void>)[] = [];
  let mailbox: Mailbox | undefined;
  let started: Promise<StandingInstallation> | undefined;
  const start = async (): Promise<StandingInstallation> => {
    const databaseUrl = await makeDatabase();
    mailbox = await startMailbox();
    closers.push(mailbox.close);
    const demo = await startOnFreePorts({ folder, databaseUrl, smtpUrl: mailbox.url, closers }, ATTEMPTS);
    return { demo, databaseUrl, folder };
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://installation');
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/mails') {
      const to = searchParams.get('to') ?? '';
      return answer(200, mailbox?.mails.filter((mail) => mail.to.includes(to)).map((mail) => mail.text) ?? []);
    }
    started ??= start();
    await started.then(
      (standing) => answer(200, standing),
      (error: unknown) => answer(500, error instanceof Error ? error.message : String(error)),
    );
  });
  // Starting takes longer than a request usually may.
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await started?.catch(() => undefined);
      for (const close of closers.reverse()) await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type StartOptions = {
  folder: string;
  databaseUrl: string;
  smtpUrl: string;
  closers: (() => Promise<void>)[];
};

/** A port may be taken between its choice and its use. */
async function startOnFreePorts(options: StartOptions, attempts: number): Promise<Demo> {
  const ports = await Promise.all(portNames.map(async (name) => [name, String(await freePort())]));
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LOCAL_FOLDER: options.folder,
    DATABASE_URL: options.databaseUrl,
    SMTP_URL: options.smtpUrl,
    // All pages come from one address.
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
    ...Object.fromEntries(ports),
  };
  // The folder's name in its command line is how a later run knows what a killed one has left.
  const script = join(checkoutFolder, 'src', 'local', 'start.ts');
  const child = spawn(process.execPath, [script, options.folder], { env: environment });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  options.closers.push(() => stop(child));
  const deadline = Date.now() + START_LIMIT_MS;
  while (child.exitCode === null && !chunks.join('').includes('Sluice runs') && Date.now() < deadline) await delay(50);
  const demo = readDemo(join(options.folder, 'demo.json'));
  if (child.exitCode === null && demo && chunks.join('').includes('Sluice runs')) return demo;
  await stop(child);
  if (attempts > 1) return startOnFreePorts(options, attempts - 1);
  throw new Error(`The installation for the browser tests did not start:\n${chunks.join('')}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && isAlive(child.pid)) await stopProcess(child.pid, 'SIGTERM', STOP_LIMIT_MS);
}
