/** Clients of subscriptions: over graphql-ws, and over server-sent events. */
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { GraphqlFault } from './api.ts';

export type LiveResult = {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it asked for.
  data?: any;
  errors?: GraphqlFault[];
};

export type Live = {
  /** Resolves to the next result. Rejects after 10 s. */
  next(): Promise<LiveResult | 'end'>;
  stop(): Promise<void>;
};

export type WsClient = Client & { closed: Promise<{ code: number; reason: string }> };

/** A websocket client with credentials as connectionParams. It never reconnects. */
export function wsClient(url: string, connectionParams: Record<string, string>): WsClient {
  let settle: (event: { code: number; reason: string }) => void = () => undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    settle = resolve;
  });
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    on: {
      closed: (event) => {
        if (typeof event === 'object' && event !== null && 'code' in event && 'reason' in event) {
          settle({ code: Number(event.code), reason: String(event.reason) });
        }
      },
    },
  });
  return Object.assign(client, { closed });
}

export function followWs(client: Client, query: string, variables: Record<string, unknown> = {}): Live {
  const results = client.iterate({ query, variables });
  return {
    async next() {
      try {
        const result = await within(results.next());
        // The library has its own types, but the received message is plain JSON.
        return result.done ? 'end' : (result.value as LiveResult);
      } catch (errors) {
        // A rejected operation ends with the protocol's own error message.
        if (Array.isArray(errors)) return { errors };
        throw errors;
      }
    },
    async stop() {
      await results.return?.();
    },
  };
}

/** A subscription over SSE, in the distinct connections mode of graphql-sse. */
export async function followSse(
  url: string,
  query: string,
  variables: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Live> {
  const abort = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query, variables }),
    signal: abort.signal,
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    // The request was rejected before the stream was opened.
    const answers: LiveResult[] = [await response.json()];
    return { next: async () => answers.shift() ?? 'end', stop: async () => undefined };
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const message = text.slice(0, end);
          text = text.slice(end + 2);
          if (/^event: complete/m.test(message)) return 'end';
          const data = /^data: (.+)$/m.exec(message)?.[1];
          if (data !== undefined) return JSON.parse(data);
          continue;
        }
        if (!reader) return 'end';
        const chunk = await within(reader.read());
        if (chunk.done) return 'end';
        text += chunk.value;
      }
    },
    async stop() {
      abort.abort();
      await reader?.cancel().catch(() => undefined);
    },
  };
}

function within<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('No result arrived within 10 s.')), 10_000);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
