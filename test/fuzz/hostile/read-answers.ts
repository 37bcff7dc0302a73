/** Parses HTTP responses from a socket's bytes. Uses no HTTP client, because a client may tolerate faults. */

import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export type Answer = { status: number; headers: ReadonlyMap<string, string>; body: string };

/** The complete responses, and the bytes that follow them. After status 101, these belong to another protocol. */
export type Answers = { answers: Answer[]; rest: Buffer };

const HEAD_END = '\r\n\r\n';

/** `isHead`: responses have no bodies, regardless of their headers. `isOver`: no more bytes will arrive. */
export function readAnswers(received: Buffer, { isHead, isOver }: { isHead: boolean; isOver: boolean }): Answers {
  const answers: Answer[] = [];
  let rest = received;
  for (;;) {
    const found = readOne(rest, { isHead, isOver });
    if (!found) return { answers, rest };
    rest = found.rest;
    if (found.answer.status === 100) continue;
    answers.push(found.answer);
    if (found.answer.status === 101) return { answers, rest };
  }
}

function readOne(
  bytes: Buffer,
  { isHead, isOver }: { isHead: boolean; isOver: boolean },
): { answer: Answer; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!Number.isInteger(status)) return undefined;
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const after = bytes.subarray(headEnd + HEAD_END.length);
  const body = bodyOf(after, headers, { isEmpty: isHead || status < 200 || status === 204 || status === 304, isOver });
  if (!body) return undefined;
  return { answer: { status, headers, body: decoded(body.bytes, headers).toString() }, rest: body.rest };
}

function decoded(bytes: Buffer, headers: ReadonlyMap<string, string>): Buffer {
  switch (headers.get('content-encoding')) {
    case 'gzip':
      return gunzipSync(bytes);
    case 'br':
      return brotliDecompressSync(bytes);
    default:
      return bytes;
  }
}

type Body = { bytes: Buffer; rest: Buffer };

function bodyOf(
  after: Buffer,
  headers: ReadonlyMap<string, string>,
  { isEmpty, isOver }: { isEmpty: boolean; isOver: boolean },
): Body | undefined {
  if (isEmpty) return { bytes: Buffer.alloc(0), rest: after };
  if (headers.get('transfer-encoding') === 'chunked') return unchunked(after, isOver);
  const length = headers.get('content-length');
  if (length === undefined) return isOver ? { bytes: after, rest: Buffer.alloc(0) } : undefined;
  if (after.length < Number(length)) return undefined;
  return { bytes: after.subarray(0, Number(length)), rest: after.subarray(Number(length)) };
}

/** If this side closed the connection, the body consists of the chunks received so far. */
function unchunked(bytes: Buffer, isOver: boolean): Body | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (lineEnd < 0 || !Number.isInteger(size) || end + 2 > bytes.length)
      return isOver ? { bytes: Buffer.concat(pieces), rest: Buffer.alloc(0) } : undefined;
    if (size === 0) return { bytes: Buffer.concat(pieces), rest: bytes.subarray(end + 2) };
    pieces.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
