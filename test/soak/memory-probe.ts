/**
 * Preloaded by `NODE_OPTIONS=--import` into every Node process of the installation that a soak runs, and into no other: on a
 * Unix socket named after the process it collects garbage and reports memory (GET), or writes a heap snapshot to the file
 * that the body names (POST).
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
  // The kind that gives back pages: after others V8 keeps what it has freed, more or less of it by chance.
  const collect = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      // What the first collection finalizes, the second one frees.
      collect();
      collect();
      if (request.method === 'POST') writeHeapSnapshot(body);
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(process.memoryUsage()));
    });
  });
  server.on('error', () => undefined);
  server.listen(path);
  // It keeps no process alive.
  server.unref();
}
