/** An HTTP proxy in front of a node. It forwards requests, answers some itself, changes results, and can switch to another node. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { onTeardown } from '../teardown.ts';

const requestShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()).default([]) });
const answerShape = z.looseObject({ result: z.unknown().optional() });

/** The proxy's own response: a text, the remaining members of a JSON-RPC response, no response at all, or a broken connection. */
export type Injected = { status?: number; body: string | Record<string, unknown> } | 'hang' | 'break';

export type RpcGate = {
  url: string;
  /** The URL of the node behind the proxy. */
  node: string;
  /** Methods that are answered with status 500. */
  failing: (method: string) => boolean;
  /** Returns the proxy's own response, or undefined to forward the request. */
  inject: (method: string, params: unknown[]) => Injected | undefined;
  /** The methods of the requests since the test last reset the list. */
  asked: string[];
  /** Transforms every result. */
  transform: (result: unknown, method: string) => unknown;
};

/** Closed when the test file ends. */
export async function openRpcGate(node: string): Promise<RpcGate> {
  const gate: RpcGate = {
    url: '',
    node,
    failing: () => false,
    inject: () => undefined,
    asked: [],
    transform: (result) => result,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { id, method, params } = requestShape.parse(JSON.parse(body.toString()));
    gate.asked.push(method);
    const injected = gate.inject(method, params);
    if (injected === 'hang') return;
    if (injected === 'break') return response.destroy();
    if (injected) {
      const text =
        typeof injected.body === 'string' ? injected.body : JSON.stringify({ jsonrpc: '2.0', id, ...injected.body });
      return response.writeHead(injected.status ?? 200, { 'content-type': 'application/json' }).end(text);
    }
    if (gate.failing(method)) return response.writeHead(500).end('broken');
    const headers = { 'content-type': 'application/json' };
    const answer = answerShape.parse(await (await fetch(gate.node, { method: 'POST', headers, body })).json());
    const forwarded = 'result' in answer ? { ...answer, result: gate.transform(answer.result, method) } : answer;
    response.writeHead(200, headers).end(JSON.stringify(forwarded));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  gate.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gate;
}
