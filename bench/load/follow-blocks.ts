import WebSocket from 'ws';
import { z } from 'zod';

const headSchema = z.object({ params: z.object({ result: z.object({ number: z.string() }) }) });

/** The time on this process's clock at which the node announced each block (newHeads over its websocket). */
export async function followBlocks(rpcUrl: string): Promise<{ minedAt: Map<bigint, number>; stop: () => void }> {
  const minedAt = new Map<bigint, number>();
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    });
    socket.once('message', () => resolve());
  });
  socket.on('message', (message) => {
    const head = headSchema.safeParse(JSON.parse(String(message)));
    if (head.success) minedAt.set(BigInt(head.data.params.result.number), performance.now());
  });
  return { minedAt, stop: () => socket.close() };
}
