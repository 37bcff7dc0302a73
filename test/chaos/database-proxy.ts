/** A proxy in front of Postgres whose connection can be cut or blocked. */
import { connect, createServer, type Socket } from 'node:net';

export const lineFaults = ['cut', 'hang'] as const;
export type LineFault = (typeof lineFaults)[number];

export type DatabaseProxy = {
  /**
   * `cut` closes every connection and refuses new ones. `hang` keeps all connections, accepts new ones, and forwards nothing. Undefined
   * removes the fault, and connections that hung continue where they stopped.
   */
  misbehave(fault: LineFault | undefined): void;
  close(): Promise<void>;
};

export async function openDatabaseProxy(request: { port: number; databasePort: number }): Promise<DatabaseProxy> {
  let fault: LineFault | undefined;
  const pairs = new Set<[client: Socket, server: Socket]>();
  const proxy = createServer((client) => {
    client.on('error', () => client.destroy());
    if (fault === 'cut') return client.resetAndDestroy();
    const server = connect(request.databasePort, '127.0.0.1');
    const pair: [Socket, Socket] = [client, server];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    server.on('error', end);
    client.on('close', end);
    server.on('close', end);
    client.pipe(server);
    server.pipe(client);
    if (fault === 'hang') for (const socket of pair) silence(socket);
  });
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(request.port, '127.0.0.1', resolve);
  });
  const cut = () => {
    for (const [client, server] of pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  };
  return {
    misbehave(next) {
      const before = fault;
      fault = next;
      if (next === 'cut') cut();
      for (const [client, server] of pairs) {
        if (next === 'hang') for (const socket of [client, server]) silence(socket);
        if (next === undefined && before === 'hang') {
          client.pipe(server);
          server.pipe(client);
        }
      }
    },
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        cut();
      }),
  };
}

function silence(socket: Socket): void {
  socket.unpipe();
  socket.pause();
}
