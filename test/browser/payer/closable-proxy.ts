/** A second address of the installation, which can be closed. It serves the same API until then. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTeardown } from '../../setup/teardown.ts';

export async function openClosableProxy(origin: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming;
    const onward = request(new URL(path, origin), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTeardown(close);
  return { url: `http://127.0.0.1:${port}`, close };
}
