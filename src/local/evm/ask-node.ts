import { Agent, request } from 'node:http';
import { z } from 'zod';
import type { NodeCall } from './chain-journal.ts';

const answerShape = z.union([
  z.object({ result: z.unknown(), error: z.undefined().optional() }),
  z.object({ error: z.looseObject({ message: z.string() }) }),
]);

export type NodeAnswer = { result: unknown } | { error: { message: string } };

export type NodeConnection = {
  /** Sends a JSON-RPC body and returns the response body. Rejects when the node is gone. */
  forward(body: Uint8Array | string): Promise<Buffer>;
  /** Returns the node's response to one call, which may be an error. */
  answer(call: NodeCall): Promise<NodeAnswer>;
  /** Returns the result of a call that must not fail. */
  result(method: string, params?: unknown[]): Promise<unknown>;
  close(): void;
};

/** Opens persistent connections to a node on this machine. */
export function connectToNode(port: number): NodeConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = { 'content-type': 'application/json' };
  const forward = (body: Uint8Array | string) =>
    new Promise<Buffer>((resolve, reject) => {
      const call = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(body);
    });
  const answer = async ({ method, params }: NodeCall): Promise<NodeAnswer> => {
    const body = await forward(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const parsed = answerShape.parse(JSON.parse(body.toString('utf8')));
    return parsed.error ? { error: parsed.error } : { result: 'result' in parsed ? parsed.result : null };
  };
  return {
    forward,
    answer,
    async result(method, params = []) {
      const answered = await answer({ method, params });
      if ('error' in answered) throw new Error(`The node rejected ${method}: ${answered.error.message}`);
      return answered.result;
    },
    close: () => agent.destroy(),
  };
}
