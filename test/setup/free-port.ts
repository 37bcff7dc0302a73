import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which Linux, macOS and Windows assign ports to outgoing connections. A port in that range may be assigned between
 * this check and the moment when a server listens on it.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;

/** A port on which no process currently listens. */
export function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of `count` consecutive ports on which no process currently listens. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST_PORT, LAST_PORT);
    const checks = Array.from({ length: count }, (_, index) => isFree(first + index));
    if ((await Promise.all(checks)).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
