/** A load generator: a number of connections, each of which sends the next request as soon as the previous one is answered. */
import { Agent, request } from 'node:http';

export type Call = { url: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: () => string };

export type Load = { perSecond: number; p50Ms: number; p99Ms: number; answers: number };

const warmUpMs = 1000;
const answerLimitMs = 30_000;

/** Sends calls for `seconds` after a warm-up of one second. Throws for any status other than 200. */
export async function runLoad(call: Call, options: { connections: number; seconds: number }): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const spans: number[] = [];
  const startedAt = performance.now() + warmUpMs;
  const endsAt = startedAt + options.seconds * 1000;
  const connection = async () => {
    while (performance.now() < endsAt) {
      const askedAt = performance.now();
      await ask(call, agent);
      const answeredAt = performance.now();
      if (askedAt >= startedAt && answeredAt <= endsAt) spans.push(answeredAt - askedAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
  } finally {
    agent.destroy();
  }
  return {
    perSecond: spans.length / options.seconds,
    p50Ms: percentile(spans, 50),
    p99Ms: percentile(spans, 99),
    answers: spans.length,
  };
}

/** The value that `share` percent do not exceed; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

function ask(call: Call, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const { method, headers } = call;
    const sent = request(call.url, { method, headers, agent, timeout: answerLimitMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${method} ${call.url}: ${response.statusCode} ${Buffer.concat(chunks)}`));
      });
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${call.url} is not answered.`)));
    sent.end(call.body?.());
  });
}
