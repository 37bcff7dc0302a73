/** A part that is stopped before it is ready ends without a failure, regardless of what it waits for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testChains } from '../setup/chains/test-chains.ts';
import { childEnvironment } from '../setup/child-environment.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

let database: URL;
let folder: string;

beforeAll(async () => {
  database = new URL((await freshDatabase()).url);
  folder = await mkdtemp(join(tmpdir(), 'sluice-starting-'));
  writeFileSync(join(folder, 'chains.json'), JSON.stringify(testChains));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
});

/** A proxy for the database that accepts connections and forwards nothing until it is opened. */
async function openBarrier() {
  const sockets: Socket[] = [];
  let isOpen = false;
  const pass = (socket: Socket) => {
    const inner = connect(Number(database.port), database.hostname);
    socket.pipe(inner).pipe(socket);
    inner.on('error', () => socket.destroy());
    socket.on('close', () => inner.destroy());
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    if (isOpen) pass(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(database);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    asked: () => sockets.length > 0,
    open: () => {
      isOpen = true;
      sockets.forEach(pass);
    },
  };
}

function spawnPart(part: string, { databaseUrl, port }: { databaseUrl: string; port: number }): ChildProcess {
  const child = spawn(process.execPath, [new URL('../../src/main.ts', import.meta.url).pathname, part], {
    env: {
      ...childEnvironment,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      CHAINS_FILE: join(folder, 'chains.json'),
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
      PRICE_TABLE: 'USDC=1',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTeardown(async () => void child.kill('SIGKILL'));
  return child;
}

describe.concurrent.each([
  { part: 'api', isAnswered: true },
  { part: 'worker', isAnswered: true },
  { part: 'indexer', isAnswered: false },
])('the $part', ({ part, isAnswered }) => {
  it(`exits with 0 when stopped while waiting for a database, which responds afterwards: ${isAnswered}`, async () => {
    const barrier = await openBarrier();
    const child = spawnPart(part, { databaseUrl: barrier.url, port: await freePort() });
    const ended = once(child, 'exit');
    await Promise.race([expect.poll(barrier.asked, { timeout: 90_000, interval: 50 }).toBe(true), ended]);
    child.kill('SIGTERM');
    if (isAnswered) barrier.open();
    expect(await ended).toEqual([0, null]);
  }, 150_000);
});
