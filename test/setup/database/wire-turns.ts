/** Counts round trips to Postgres: a TCP proxy that counts how often the client sends data after the server has. */
import { connect, createServer, type Socket } from 'node:net';
import { onTeardown } from '../teardown.ts';

export type WireTurns = {
  /** The database's URL through the proxy. */
  url: string;
  /** The number of round trips that have begun so far. */
  turns(): number;
};

/** Counts only connections whose application name is `application`. */
export async function openWireTurns(databaseUrl: string, application: string): Promise<WireTurns> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((caller) => {
    const inner = connect(Number(target.port), target.hostname);
    let hasAnswered = true;
    let isCounted: boolean | undefined;
    caller.on('data', (chunk) => {
      isCounted ??= chunk.includes(application);
      if (hasAnswered && isCounted) turns += 1;
      hasAnswered = false;
      inner.write(chunk);
    });
    inner.on('data', (chunk) => {
      hasAnswered = true;
      caller.write(chunk);
    });
    for (const socket of [caller, inner]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        caller.destroy();
        inner.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : '');
  return { url: url.href, turns: () => turns };
}
