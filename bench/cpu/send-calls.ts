import { Agent, request } from 'node:http';

export type Sent = { url: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

const CONNECTIONS = 8;
const ANSWER_LIMIT_MS = 30_000;

/** Sends `count` calls over connections of their own, by default eight. Throws for a status other than 200 and for GraphQL errors. */
export async function sendCalls(
  next: () => Sent,
  count: number,
  connections: number = CONNECTIONS,
): Promise<{ perSecond: number; spansMs: readonly number[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const spansMs: number[] = [];
  const startedAt = performance.now();
  let sent = 0;
  const connection = async () => {
    while (sent < count) {
      sent += 1;
      const sentAt = performance.now();
      await send(next(), agent);
      spansMs.push(performance.now() - sentAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return { perSecond: (count / (performance.now() - startedAt)) * 1000, spansMs };
}

function send({ url, method, headers, body }: Sent, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = request(url, { method, headers, agent, timeout: ANSWER_LIMIT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200 && !text.startsWith('{"errors"')) resolve();
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    message.on('error', reject);
    message.on('timeout', () => message.destroy(new Error(`${url} did not answer.`)));
    message.end(body);
  });
}
