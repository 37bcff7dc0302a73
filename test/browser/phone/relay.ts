/**
 * A relay of WalletConnect's protocol in memory. It routes encrypted messages by topic and cannot read them, as the real one. Wallets connect
 * over a websocket of their own, and pages through the websocket that the test routes here.
 */
import type { Page } from 'playwright-core';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

export type Relay = {
  /** For wallets: `ws://…`. */
  url: string;
  /** Every websocket that the page opens to the real relay leads here from now on. */
  serve(page: Page): Promise<void>;
  /** The methods that clients have called so far, oldest first. */
  called(): string[];
  close(): Promise<void>;
};

type Message = { topic: string; message: string; tag: number; publishedAt: number };
type Client = { topics: Set<string>; send: (text: string) => void };

const callSchema = z.object({ id: z.union([z.number(), z.string()]), method: z.string(), params: z.unknown() });
const topicSchema = z.object({ topic: z.string() });
const topicsSchema = z.object({ topics: z.array(z.string()) });
const publishSchema = z.object({ topic: z.string(), message: z.string(), tag: z.number().default(0) });
const proposeSchema = z.object({ pairingTopic: z.string(), sessionProposal: z.string() });
const approveSchema = z.object({
  pairingTopic: z.string(),
  sessionTopic: z.string(),
  sessionProposalResponse: z.string(),
  sessionSettlementRequest: z.string(),
});

/** The tags of the messages that `wc_proposeSession` and `wc_approveSession` publish for their caller. */
const TAGS = { proposal: 1100, proposalResponse: 1101, settlement: 1102 } as const;
const REAL_RELAY = /^wss:\/\/relay\.walletconnect\.(org|com)\//;

export async function startRelay(): Promise<Relay> {
  const clients = new Set<Client>();
  /** Messages by topic, with the clients that have them already. */
  const mailbox = new Map<string, { message: Message; seenBy: Set<Client> }[]>();
  const called: string[] = [];
  let deliveries = 0;

  const deliver = (client: Client, topic: string): void => {
    for (const { message, seenBy } of mailbox.get(topic) ?? []) {
      if (seenBy.has(client)) continue;
      seenBy.add(client);
      const params = { id: `${topic}-${client.topics.size}`, data: message };
      client.send(JSON.stringify({ id: ++deliveries, jsonrpc: '2.0', method: 'irn_subscription', params }));
    }
  };
  const subscribe = (client: Client, topic: string): string => {
    client.topics.add(topic);
    // The response comes before the messages that wait.
    setImmediate(() => deliver(client, topic));
    return `subscription-${topic}`;
  };
  const publish = (from: Client, { topic, message, tag }: Omit<Message, 'publishedAt'>): true => {
    const kept = { message: { topic, message, tag, publishedAt: Date.now() }, seenBy: new Set([from]) };
    mailbox.set(topic, [...(mailbox.get(topic) ?? []), kept]);
    for (const client of clients) if (client.topics.has(topic)) setImmediate(() => deliver(client, topic));
    return true;
  };
  const methods: Record<string, (client: Client, params: unknown) => unknown> = {
    irn_subscribe: (client, params) => subscribe(client, topicSchema.parse(params).topic),
    irn_batchSubscribe: (client, params) => topicsSchema.parse(params).topics.map((topic) => subscribe(client, topic)),
    irn_unsubscribe: (client, params) => client.topics.delete(topicSchema.parse(params).topic),
    irn_publish: (client, params) => publish(client, publishSchema.parse(params)),
    irn_batchFetchMessages: (client, params) => {
      const { topics } = topicsSchema.parse(params);
      const unseen = topics.flatMap((topic) => mailbox.get(topic) ?? []).filter(({ seenBy }) => !seenBy.has(client));
      for (const { seenBy } of unseen) seenBy.add(client);
      return { messages: unseen.map(({ message }) => message), hasMore: false };
    },
    wc_proposeSession: (client, params) => {
      const { pairingTopic, sessionProposal } = proposeSchema.parse(params);
      subscribe(client, pairingTopic);
      return publish(client, { topic: pairingTopic, message: sessionProposal, tag: TAGS.proposal });
    },
    wc_approveSession: (client, params) => {
      const approved = approveSchema.parse(params);
      subscribe(client, approved.sessionTopic);
      const { pairingTopic, sessionTopic } = approved;
      publish(client, { topic: pairingTopic, message: approved.sessionProposalResponse, tag: TAGS.proposalResponse });
      return publish(client, { topic: sessionTopic, message: approved.sessionSettlementRequest, tag: TAGS.settlement });
    },
  };
  /** Returns the response to a request; nothing for what a client acknowledges. */
  const answer = (client: Client, text: string): string | undefined => {
    const call = callSchema.safeParse(JSON.parse(text)).data;
    if (!call) return undefined;
    const { id, method, params } = call;
    called.push(method);
    const own = methods[method];
    if (!own) {
      const error = { code: -32601, message: `The test relay does not know ${method}.` };
      return JSON.stringify({ id, jsonrpc: '2.0', error });
    }
    return JSON.stringify({ id, jsonrpc: '2.0', result: own(client, params) });
  };
  const join = (send: (text: string) => void): { receive: (text: string) => void; leave: () => void } => {
    const client: Client = { topics: new Set(), send };
    clients.add(client);
    return {
      receive: (text) => {
        const response = answer(client, text);
        if (response !== undefined) send(response);
      },
      leave: () => void clients.delete(client),
    };
  };

  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  server.on('connection', (socket: WebSocket) => {
    const { receive, leave } = join((text) => socket.send(text));
    socket.on('message', (data) => receive(String(data)));
    socket.on('close', leave);
  });
  const address = server.address();
  return {
    url: `ws://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async serve(page) {
      await page.routeWebSocket(REAL_RELAY, (socket) => {
        const { receive, leave } = join((text) => socket.send(text));
        socket.onMessage((data) => receive(String(data)));
        socket.onClose(leave);
      });
    },
    called: () => [...called],
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
