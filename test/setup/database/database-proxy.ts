/** A TCP proxy in front of Postgres whose connections can fail in the ways in which a database becomes unavailable. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

/** `refused`: connections are refused. `hanging`: connections stay open and transfer nothing. `dropped`: connections are closed at once. */
export type Line = 'open' | 'refused' | 'hanging' | 'dropped';

export type DatabaseProxy = {
  /** The database's URL through the proxy. */
  url: string;
  turn(line: Line): Promise<void>;
};

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const url = new URL(databaseUrl);
  url.port = String(port);
  url.hostname = '127.0.0.1';
  const pairs = new Map<Socket, Socket>();
  let line: Line = 'open';
  let server: Server | undefined;

  function accept(caller: Socket): void {
    if (line === 'dropped') return void caller.resetAndDestroy();
    const inner = connect(Number(target.port || 5432), target.hostname);
    pairs.set(caller, inner);
    const end = () => {
      pairs.delete(caller);
      caller.destroy();
      inner.destroy();
    };
    for (const [from, to] of [
      [caller, inner],
      [inner, caller],
    ] as const) {
      from.on('data', (chunk) => {
        // Data that arrives while the connection hangs is lost, as with an unreachable peer.
        if (line === 'open') to.write(chunk);
      });
      from.on('error', end);
      from.on('close', end);
    }
  }

  async function listen(): Promise<void> {
    if (server) return;
    const made = createServer(accept);
    await new Promise<void>((resolve, reject) => {
      made.once('error', reject);
      made.listen(port, '127.0.0.1', resolve);
    });
    server = made;
  }

  function cutAll(): void {
    for (const [caller, inner] of pairs) {
      caller.resetAndDestroy();
      inner.destroy();
    }
    pairs.clear();
  }

  async function turn(next: Line): Promise<void> {
    // A connection that hung has lost data, so it can only be closed.
    if (line === 'hanging' || next === 'refused' || next === 'dropped') cutAll();
    line = next;
    if (next !== 'refused') return await listen();
    const closing = server;
    server = undefined;
    if (closing) await new Promise<void>((resolve) => closing.close(() => resolve()));
  }

  await listen();
  onTeardown(() => turn('refused'));
  return { url: url.href, turn };
}
