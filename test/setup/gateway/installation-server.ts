/**
 * One installation for all browser tests of a run: the parts that `npm start` runs, on separate ports and in a separate folder. It starts
 * when a test file first requests it, which most runs never do, and stops with the run's Postgres.
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

/** The response of the server. */
export type StandingInstallation = { demo: Demo; databaseUrl: string; folder: string };

export type InstallationServer = {
  /** GET /installation responds when the installation is ready. GET /mails?to= returns the mails to an address, oldest first. */
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

/** `makeDatabase` is called once, and returns a database with all migrations and no rows. */
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
  // Starting takes longer than the usual time limit of a request.
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

/** Another process may take a port between the choice and the use of the port. */
async function startOnFreePorts(options: StartOptions, attempts: number): Promise<Demo> {
  const ports = await Promise.all(portNames.map(async (name) => [name, String(await freePort())]));
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LOCAL_FOLDER: options.folder,
    DATABASE_URL: options.databaseUrl,
    SMTP_URL: options.smtpUrl,
    // All pages make their requests from one address.
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
    ...Object.fromEntries(ports),
  };
  // A later run finds the processes of a killed run by the folder's name in their command lines.
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
