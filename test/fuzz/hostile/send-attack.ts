/** Sends an attack to an API and returns its complete response. */
import { connect, type Socket } from 'node:net';
import type { Attack, Credential, Header, RequestAttack, StreamAttack } from './attack.ts';
import { type Answer, readAnswers } from './read-answers.ts';
import { type FrameOutcome, sendFrames } from './send-frames.ts';

export type Target = { url: string; secretKey: string; publishableKey: string };

export type ByteOutcome = {
  over: 'http' | 'socket';
  answers: Answer[];
  /** Bytes after the responses that belong to no response. */
  rest: Buffer;
  sentBytes: number;
  /** `flood`: the server did not close the connection during a flood. `wait`: the server did not respond. */
  endless: 'flood' | 'wait' | undefined;
};

export type Outcome = ByteOutcome | FrameOutcome;

/** The time without data after which the server counts as unresponsive. */
const PATIENCE_MS = 20_000;

export function sendAttack(target: Target, attack: Attack): Promise<Outcome> {
  switch (attack.over) {
    case 'http':
      return exchange(target, { over: 'http', bytes: requestBytes(target, attack), isHead: attack.method === 'HEAD' });
    case 'socket':
      return exchange(target, {
        over: 'socket',
        bytes: Buffer.from(attack.bytes.replaceAll('{{secret}}', target.secretKey), 'latin1'),
        flood: attack.flood,
        ends: attack.ends,
        isHead: false,
      });
    case 'websocket':
      return sendFrames(target.url, {
        headers: [...attack.headers, ...credentialHeaders(target, attack.credential)],
        frames: attack.frames,
      });
    default:
      return attack satisfies never;
  }
}

export function credentialHeaders(target: Target, credential: Credential): Header[] {
  if (credential === 'none') return [];
  return [['x-api-key', credential === 'secret' ? target.secretKey : target.publishableKey]];
}

/** The request in HTTP/1.1, with the headers that the attack does not set: host, credential, length, and `connection: close`. */
export function requestBytes(target: Target, attack: RequestAttack): Buffer {
  const body = attack.body === undefined ? Buffer.alloc(0) : Buffer.from(attack.body);
  const given = new Set(attack.headers.map(([name]) => name));
  const isChunked = given.has('transfer-encoding');
  const added: Header[] = [
    ...(given.has('host') ? [] : [['host', new URL(target.url).host] as const]),
    ...(attack.body === undefined || isChunked ? [] : [['content-length', String(body.length)] as const]),
    ['connection', given.has('upgrade') ? 'upgrade, close' : 'close'],
    ...(given.has('x-api-key') ? [] : credentialHeaders(target, attack.credential)),
  ];
  const lines = [...added, ...attack.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${attack.method} ${attack.path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return Buffer.concat([head, ...(isChunked ? chunked(body) : [body])]);
}

function chunked(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
  return [
    ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ];
}

type Sending = {
  over: 'http' | 'socket';
  bytes: Buffer;
  flood?: StreamAttack['flood'];
  ends?: boolean;
  isHead: boolean;
};

/** Writes, and reads until the server closes the connection or an event stream has returned its first event. */
async function exchange(target: Target, sending: Sending): Promise<ByteOutcome> {
  const { hostname, port } = new URL(target.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let endless: ByteOutcome['endless'];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.end());
  socket.setTimeout(PATIENCE_MS, () => {
    endless = 'wait';
    socket.destroy();
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (isAnsweredByEvents(chunks) || isSwitched(chunks)) socket.destroySoon();
  });
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  let sentBytes = sending.bytes.length;
  socket.write(sending.bytes);
  if (sending.flood) {
    const { piece, times } = sending.flood;
    const bytes = Buffer.from(piece, 'latin1');
    let remaining = times;
    while (remaining > 0 && (await written(socket, bytes))) remaining -= 1;
    sentBytes += (times - remaining) * bytes.length;
    if (remaining === 0 && !sending.ends && (await isOpenStill(socket, chunks))) endless = 'flood';
  }
  if (sending.ends) socket.end();
  if (endless === 'flood') socket.destroy();
  await closed;
  const received = Buffer.concat(chunks);
  return {
    over: sending.over,
    ...readAnswers(received, { isHead: sending.isHead, isOver: true }),
    sentBytes,
    endless,
  };
}

/** Returns false if the server accepts no more data. */
function written(socket: Socket, bytes: Buffer): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    socket.once('close', onClose);
    socket.write(bytes, (error) => {
      socket.off('close', onClose);
      resolve(!error);
    });
  });
}

/** Whether the connection is still open and without a response after the server has read the whole flood. */
async function isOpenStill(socket: Socket, chunks: Buffer[]): Promise<boolean> {
  // A response may still arrive, so wait for the duration of a request on another connection.
  if (chunks.length > 0 || socket.destroyed) return false;
  await new Promise<void>((resolve) => {
    const other = connect({ host: socket.remoteAddress ?? '127.0.0.1', port: socket.remotePort ?? 0 });
    other.once('close', () => resolve());
    other.on('error', () => other.destroy());
    other.once('data', () => other.destroy());
    other.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  });
  return chunks.length === 0 && !socket.destroyed;
}

/** An event stream may never end, so its first complete event counts as the response. */
function isAnsweredByEvents(chunks: readonly Buffer[]): boolean {
  if (!/content-type: text\/event-stream/i.test(chunks[0]?.toString('latin1') ?? '')) return false;
  return /^event: (next|complete)\n(.*\n)*?\n/m.test(Buffer.concat(chunks).toString('latin1'));
}

/** Whether the connection was upgraded. Frames after that are not responses. */
function isSwitched(chunks: readonly Buffer[]): boolean {
  const received = Buffer.concat(chunks).toString('latin1');
  return received.startsWith('HTTP/1.1 101 ') && received.includes('\u0088');
}
