/** Two webhook receivers for each app: one accepts everything, and one rejects the first attempt of every fifth message. */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Shop } from './shops.ts';

export const receiverKinds = ['good', 'bad'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

export type Receivers = {
  /** The distinct sequence numbers of the app's events that this receiver has accepted. */
  taken(appId: string, kind: ReceiverKind): ReadonlySet<number>;
  /** The numbers of messages that had been accepted before, had an invalid signature, or were rejected. */
  counts(): { repeated: number; unsigned: number; refused: number };
  /** Both receivers of the app must receive every event after this sequence number. */
  since(appId: string): number;
  close(): Promise<void>;
};

type Box = { secret: string; taken: Set<number>; refused: Set<string> };

const messageShape = z.object({ id: z.string(), sequence: z.number() });

export async function openReceivers(shops: readonly Shop[], { port }: { port: number }): Promise<Receivers> {
  const boxes = new Map<string, Box>();
  const starts = new Map<string, number>();
  const counts = { repeated: 0, unsigned: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const box = boxes.get(request.url ?? '');
    if (!box) return response.writeHead(404).end();
    if (!isSigned(box, body, request.headers)) {
      counts.unsigned += 1;
      return response.writeHead(400).end();
    }
    const { id, sequence } = messageShape.parse(JSON.parse(body));
    if (request.url?.startsWith('/bad/') && sequence % 5 === 0 && !box.refused.has(id)) {
      box.refused.add(id);
      counts.refused += 1;
      return response.writeHead(500).end('Not now.');
    }
    if (box.taken.has(sequence)) counts.repeated += 1;
    box.taken.add(sequence);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  for (const { appId, client } of shops) {
    for (const kind of receiverKinds) {
      const path = `/${kind}/${appId}`;
      const body = { url: `http://127.0.0.1:${port}${path}`, events: ['*'] };
      const made = z.object({ secret: z.string() });
      const { secret } = await client.call(made, { method: 'POST', path: `/apps/${appId}/webhooks`, body });
      boxes.set(path, { secret, taken: new Set(), refused: new Set() });
    }
    starts.set(appId, await lastSequence({ appId, client }));
  }
  return {
    taken: (appId, kind) => boxes.get(`/${kind}/${appId}`)?.taken ?? new Set(),
    counts: () => counts,
    since: (appId) => starts.get(appId) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const eventShape = z.object({ sequence: z.number(), type: z.string(), resourceId: z.string() });
const pageShape = z.object({
  items: z.array(eventShape),
  hasMore: z.boolean(),
});

/** Every event of the app, in the order of the API. */
export async function readEvents({ client }: Pick<Shop, 'client'>): Promise<z.infer<typeof eventShape>[]> {
  const events: z.infer<typeof eventShape>[] = [];
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0;
    const document =
      'query ($after: Int!) { events(after: $after, limit: 500) { items { sequence type resourceId } hasMore } }';
    const page = await client.query(z.object({ events: pageShape }), document, { after });
    events.push(...page.events.items);
    if (!page.events.hasMore || page.events.items.length === 0) return events;
  }
}

async function lastSequence(shop: Pick<Shop, 'appId' | 'client'>): Promise<number> {
  return (await readEvents(shop)).at(-1)?.sequence ?? 0;
}

function isSigned(box: Box, body: string, headers: Record<string, unknown>): boolean {
  const ofWebhook = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
  try {
    new Webhook(box.secret).verify(body, Object.fromEntries(ofWebhook.map(([name, value]) => [name, String(value)])));
    return true;
  } catch {
    return false;
  }
}
