/** A websocket client that sends any frames, and waits until the server has responded to all of them or closed the connection. */
import { WebSocket } from 'ws';
import type { Frame, Header } from './attack.ts';

export type FrameOutcome = {
  over: 'websocket';
  /** The server's messages in order. */
  messages: string[];
  /** The server's close code and reason. Undefined if it did not close the connection. */
  close: { code: number; reason: string } | undefined;
  /** Ids of subscriptions that received neither a response nor an end. */
  unanswered: string[];
  sentBytes: number;
};

const PATIENCE_MS = 20_000;
const BARRIER = '{"type":"ping","payload":{"barrier":true}}';

export async function sendFrames(
  url: string,
  { headers, frames }: { headers: readonly Header[]; frames: readonly Frame[] },
): Promise<FrameOutcome> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: Object.fromEntries(headers),
  });
  const messages: string[] = [];
  const open = subscriptionsOf(frames);
  let hasPong = false;
  let close: FrameOutcome['close'];
  const ended = new Promise<void>((resolve) => {
    const finish = () => {
      if (open.size === 0 && hasPong) resolve();
    };
    const patience = setTimeout(resolve, PATIENCE_MS);
    socket.on('message', (data) => {
      const message = String(data);
      messages.push(message);
      const parsed = read(message);
      if (parsed?.type === 'pong' && message.includes('"barrier"')) hasPong = true;
      if (parsed?.id !== undefined) open.delete(parsed.id);
      finish();
    });
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      close = { code, reason: String(reason) };
      clearTimeout(patience);
      resolve();
    });
  });
  socket.once('open', () => {
    for (const frame of frames) {
      if ('text' in frame) socket.send(frame.text);
      else socket.send(frame.bytes, { binary: frame.binary });
    }
    socket.send(BARRIER);
  });
  await ended;
  const unanswered = close ? [] : [...open];
  if (!close && !hasPong) unanswered.push('ping');
  socket.terminate();
  const sentBytes = frames.reduce((sum, frame) => sum + ('text' in frame ? frame.text : frame.bytes).length, 0);
  return { over: 'websocket', messages, close, unanswered, sentBytes };
}

/** The ids that require a response: those of complete messages whose operation the client does not end itself. */
function subscriptionsOf(frames: readonly Frame[]): Set<string> {
  const open = new Set<string>();
  for (const frame of frames) {
    const parsed = 'text' in frame ? read(frame.text) : undefined;
    if (parsed?.id === undefined) continue;
    if (parsed.type === 'subscribe') open.add(parsed.id);
    if (parsed.type === 'complete') open.delete(parsed.id);
  }
  return open;
}

function read(text: string): { type: string; id: string | undefined } | undefined {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
    const id = 'id' in message && typeof message.id === 'string' ? message.id : undefined;
    return { type: String(message.type), id };
  } catch {
    return undefined;
  }
}
