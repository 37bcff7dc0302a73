import { createServer } from 'node:net';

/** A port that nobody listens on at this moment; callers that lose a race for it ask again. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/** The first of `count` consecutive ports that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = Array.from({ length: count - 1 }, (_, index) => listenOnce(first + index + 1));
    const results = await Promise.allSettled(others);
    if (results.every(({ status }) => status === 'fulfilled')) return first;
  }
}

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
