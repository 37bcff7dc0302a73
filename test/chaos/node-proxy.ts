/** A proxy in front of a chain's node that behaves like a faulty provider. */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getAbiItem, toEventSelector } from 'viem';
import { z } from 'zod';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';

export const nodeFaults = ['429', '5xx', 'garbage', 'hang', 'half-logs'] as const;
/**
 * `frozen` keeps returning the block that was the newest. `no-captures` omits the contract's capture events. `late` delays every response
 * by half a second to six seconds.
 */
export type NodeFault = (typeof nodeFaults)[number] | 'frozen' | 'no-captures' | 'late';

export type NodeProxy = {
  url: string;
  /** Applies from now on. Undefined restores the node and drops hanging requests. */
  misbehave(fault: NodeFault | undefined): void;
  close(): Promise<void>;
};

const UPSTREAM_LIMIT_MS = 30_000;
const LATE_MS = { least: 500, most: 6_000 };
const json = { 'content-type': 'application/json' };
const requestShape = z.looseObject({ id: z.unknown(), method: z.string(), params: z.unknown().optional() });
const logShape = z.looseObject({ topics: z.array(z.string()) });
const captured = toEventSelector(getAbiItem({ abi: escrowAbi, name: 'Captured' }));
const answerShape = z.looseObject({ id: z.unknown(), result: z.unknown().optional() });

export async function openNodeProxy(request: { port: number; nodeUrl: string }): Promise<NodeProxy> {
  let fault: NodeFault | undefined;
  const hanging = new Set<ServerResponse>();
  const frozen = new Map<string, unknown>();
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
      if (fault === 'late') await delay(LATE_MS.least + Math.random() * (LATE_MS.most - LATE_MS.least));
      response.writeHead(answer.status, json).end(altered(fault, { body, text, frozen }));
    } catch {
      // An unavailable node has no response, so the connection fails as it would without the proxy.
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
      frozen.clear();
      for (const response of hanging) response.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Call = z.infer<typeof requestShape>;

/** Replaces the results of some methods, including those in a batch. */
function altered(
  fault: NodeFault | undefined,
  { body, text, frozen }: { body: string; text: string; frozen: Map<string, unknown> },
): string {
  if (fault === undefined) return text;
  const calls = new Map(
    [z.union([z.array(requestShape), requestShape]).parse(JSON.parse(body))].flat().map((call) => [call.id, call]),
  );
  const alter = (answer: z.infer<typeof answerShape>) => {
    const call = calls.get(answer.id);
    return call && 'result' in answer ? { ...answer, result: resultOf(fault, { call, answer, frozen }) } : answer;
  };
  const answers = z.union([z.array(answerShape), answerShape]).parse(JSON.parse(text));
  return JSON.stringify(Array.isArray(answers) ? answers.map(alter) : alter(answers));
}

function resultOf(
  fault: NodeFault,
  { call, answer, frozen }: { call: Call; answer: z.infer<typeof answerShape>; frozen: Map<string, unknown> },
): unknown {
  const { result } = answer;
  if (fault === 'frozen' && /^eth_(blockNumber|getBlockByNumber)$/.test(call.method)) {
    const key = JSON.stringify([call.method, call.params]);
    if (call.method === 'eth_getBlockByNumber' && !/latest|finalized|safe/.test(key)) return result;
    if (!frozen.has(key)) frozen.set(key, result);
    return frozen.get(key);
  }
  if (call.method !== 'eth_getLogs' || !Array.isArray(result)) return result;
  if (fault === 'half-logs') return result.filter((_, index) => index % 2 === 1);
  if (fault === 'no-captures') return result.filter((log) => logShape.safeParse(log).data?.topics[0] !== captured);
  return result;
}
