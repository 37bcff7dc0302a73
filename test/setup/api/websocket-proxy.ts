import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

export type WebsocketProxy = {
  url: string;
  /** The number of the node's messages that were forwarded. */
  passed(): number;
  /** Keeps sockets open, and stops forwarding messages. */
  silence(): void;
  /** Closes every socket and accepts no new ones. */
  cut(): void;
};

/** A websocket proxy in front of a node. Its connections can be silenced or cut. */
export async function openWebsocketProxy({ rpcUrl }: { rpcUrl: string }): Promise<WebsocketProxy> {
  const port = await freePort();
  let passed = 0;
  let silent = false;
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  const targets = new Set<WebSocket>();
  server.on('connection', (caller) => {
    const target = new WebSocket(rpcUrl.replace(/^http/, 'ws'));
    targets.add(target);
    const opened = new Promise<void>((resolve) => target.once('open', () => resolve()));
    caller.on('message', (message) => void opened.then(() => target.send(String(message))));
    target.on('message', (message) => {
      if (silent) return;
      passed += 1;
      caller.send(String(message));
    });
    caller.on('error', () => undefined);
    target.on('error', () => caller.terminate());
    caller.on('close', () => target.terminate());
  });
  const cut = () => {
    for (const caller of server.clients) caller.terminate();
    for (const target of targets) target.terminate();
    server.close();
  };
  onTeardown(async () => cut());
  return {
    url: `ws://127.0.0.1:${port}`,
    passed: () => passed,
    silence: () => {
      silent = true;
    },
    cut,
  };
}
