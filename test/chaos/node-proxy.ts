/** A proxy in front of a chain's node that answers as bad providers do. */
import { createServer, type ServerResponse } from 'node:http';
import { z } from 'zod';

export const nodeFaults = ['429', '5xx', 'garbage', 'hang', 'half-logs'] as const;
export type NodeFault = (typeof nodeFaults)[number];

export type NodeProxy = {
  url: string;
  /** From now on; undefined for a node that is sound again. Requests that hang are dropped then. */
  misbehave(fault: NodeFault | undefined): void;
  close(): Promise<void>;
};

const UPSTREAM_LIMIT_MS = 30_000;
const json = { 'content-type': 'application/json' };
const requestShape = z.looseObject({ id: z.unknown(), method: z.string() });
const answerShape = z.looseObject({ id: z.unknown(), result: z.unknown() });

export async function openNodeProxy(request: { port: number; nodeUrl: string }): Promise<NodeProxy> {
  let fault: NodeFault | undefined;
  const hanging = new Set<ServerResponse>();
  const server = createServer(async (incoming, response) => {
    response.on('close', () => hanging.delete(response));
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      if (fault === '429') return response.writeHead(429, json).end('{"error":"Too many requests"}');
      if (fault === '5xx') return response.writeHead(503).end('Service unavailable');
      if (fault === 'garbage') return response.writeHead(200, json).end('<html><body>Welcome!</body></html>');
      if (fault === 'hang') return void hanging.add(response);
      const signal = AbortSignal.timeout(UPSTREAM_LIMIT_MS);
      const answer = await fetch(request.nodeUrl, { method: 'POST', headers: json, body, signal });
      const text = await answer.text();
      response.writeHead(answer.status, json).end(fault === 'half-logs' ? halved(body, text) : text);
    } catch {
      // A node that is away has no answer of its own: the connection breaks, as it would without the proxy.
      response.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(request.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${request.port}`,
    misbehave(next) {
      fault = next;
      for (const response of hanging) response.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Every second log of `eth_getLogs` left out, also inside a batch. */
function halved(body: string, text: string): string {
  const requests = z.union([z.array(requestShape), requestShape]).parse(JSON.parse(body));
  const ofLogs = new Set([requests].flat().flatMap(({ id, method }) => (method === 'eth_getLogs' ? [id] : [])));
  if (ofLogs.size === 0) return text;
  const answers = z.union([z.array(answerShape), answerShape]).parse(JSON.parse(text));
  const halve = (answer: z.infer<typeof answerShape>) =>
    ofLogs.has(answer.id) && Array.isArray(answer.result)
      ? { ...answer, result: answer.result.filter((_, index) => index % 2 === 1) }
      : answer;
  return JSON.stringify(Array.isArray(answers) ? answers.map(halve) : halve(answers));
}
