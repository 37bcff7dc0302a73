/**
 * Preloaded by `NODE_OPTIONS=--import` into every Node process of the installation in a soak. It listens on a Unix socket named after the
 * process id. GET collects garbage and returns the memory usage. POST writes a heap snapshot to the file that the body names.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.SOAK_PROBES;
if (folder !== undefined && isMainThread) openProbe(join(folder, `${process.pid}.sock`));

function openProbe(path: string): void {
  setFlagsFromString('--expose-gc');
  const gc: (options: object) => void = runInNewContext('gc');
  // This flavor returns freed pages to the system. After others, V8 keeps a varying amount of them.
  const collect = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      // The second collection frees what the first one has finalized.
      collect();
      collect();
      if (request.method === 'POST') writeHeapSnapshot(body);
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(process.memoryUsage()));
    });
  });
  server.on('error', () => undefined);
  server.listen(path);
  // The server must not keep the process alive.
  server.unref();
}
