/** One subscription over server-sent events, used where no WebSocket can be opened. */
import type { Connection } from '../connection.ts';
import { SluiceConnectionError, SluiceError } from '../errors.ts';
import { headersOf, readError } from '../send.ts';
import { type GraphResult, graphError } from './graph-error.ts';
import type { Subscription } from './open-socket.ts';

/** The gateway sends a comment every few seconds. */
const SILENCE_LIMIT_MS = 45_000;
/** One object is far smaller; a longer event cannot be the gateway's. */
const LONGEST_EVENT = 4 * 1024 * 1024;

export async function* openStream(
  connection: Connection,
  subscription: Subscription,
  signal: AbortSignal | undefined,
): AsyncGenerator<GraphResult, void, undefined> {
  const silence = new AbortController();
  const startSilenceTimer = () => setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
  let timer = startSilenceTimer();
  try {
    const response = await connection.fetch(`${connection.baseUrl}/graphql`, {
      method: 'POST',
      headers: headersOf(connection, { body: subscription, headers: { accept: 'text/event-stream' } }),
      body: JSON.stringify(subscription),
      signal: signal ? AbortSignal.any([silence.signal, signal]) : silence.signal,
    });
    await refuseUnlessStream(response);
    const decoder = new TextDecoder();
    let buffer = '';
    for await (const chunk of chunksOf(response)) {
      clearTimeout(timer);
      timer = startSilenceTimer();
      buffer += decoder.decode(chunk, { stream: true }).replaceAll('\r', '');
      const blocks = buffer.split('\n\n');
      buffer = blocks.pop() ?? '';
      if (buffer.length > LONGEST_EVENT) throw new SluiceConnectionError('The stream sent an event that is too long.');
      for (const block of blocks) {
        const { type, data } = readBlock(block);
        if (type === 'complete') return;
        if (type === 'next' && data !== '') yield JSON.parse(data);
      }
    }
    throw new SluiceConnectionError('The stream ended.');
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    if (signal?.aborted) throw signal.reason;
    throw new SluiceConnectionError(silence.signal.aborted ? 'The stream timed out.' : 'The stream broke.', error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** A rejected operation returns JSON: GraphQL errors with status 200 or, before GraphQL is reached, a REST error. */
async function refuseUnlessStream(response: Response): Promise<void> {
  if (/event-stream/.test(response.headers.get('content-type') ?? '')) return;
  const copy = response.clone();
  const { errors }: GraphResult = await response.json().catch(() => ({}));
  throw errors ? graphError(errors) : await readError(copy);
}

/** Used because not every platform supports iterating over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    yield part.value;
  }
}

function readBlock(block: string): { type: string; data: string } {
  const lines = block.split('\n');
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
  return { type: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
}
