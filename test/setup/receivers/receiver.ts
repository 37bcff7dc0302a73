/** A merchant's webhook receiver on a real port. It keeps the messages that it receives, and responds with the status that a test sets. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTeardown } from '../teardown.ts';

export type Received = { path: string; headers: Record<string, string>; body: string };
export type Receiver = {
  url: string;
  received: Received[];
  /** Sets the status of the following responses. A function chooses the status of each message. */
  answer(status: Answer): void;
};

type Answer = number | ((message: Received) => number | Promise<number>);

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let status: Answer = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => {
      const message = { path: request.url ?? '', headers: plain(request.headers), body };
      received.push(message);
      response.writeHead(typeof status === 'number' ? status : await status(message)).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (next) => {
      status = next;
    },
  };
}

export type HangingReceiver = {
  url: string;
  /** The number of messages received. */
  received: number;
  /** Closes all pending connections. */
  end(): void;
};

/** A receiver that accepts every message and never responds. */
export async function openHangingReceiver(): Promise<HangingReceiver> {
  const server = createServer((request) => {
    hanging.received += 1;
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  onTeardown(async () => end());
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const hanging: HangingReceiver = { url: `http://127.0.0.1:${port}`, received: 0, end };
  return hanging;
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
