import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

export type WebsocketProxy = {
  url: string;
  /** What the node said and was passed on. */
  passed(): number;
  /** Sockets stay open, and nobody is told anything any more. */
  silence(): void;
  /** Ends every socket and takes no new one. */
  cut(): void;
};

/** A websocket in front of a node's own, whose line can fall silent or break. */
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
