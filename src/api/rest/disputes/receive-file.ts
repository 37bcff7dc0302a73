/**
 * Receives the body of an upload as a file. The content type is detected from the first bytes and the size is counted while the
 * body is read, so that an unsupported or oversized file is rejected before the rest of it is read, whatever its headers declare.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../errors.ts';
import type { ReceivedFile } from '../../../payments/disputes/attach-file.ts';
import { FILE_BYTES } from '../../../payments/disputes/evidence.ts';
import { type FileKind, fileKindOf, HEAD_BYTES, KINDS, safeFileName } from '../../../payments/disputes/file-kind.ts';

/** The size of the chunks in which a file is stored. */
const PIECE_BYTES = 512 * 1024;

/** How long a body may take in addition to the time at `SLOWEST_BYTES_PER_SECOND`, because connections need a moment to become fast. */
const GRACE_MS = 5_000;
export const SLOWEST_BYTES_PER_SECOND = 64 * 1024;

/**
 * Throws UNSUPPORTED_MEDIA_TYPE for unsupported content and for a content encoding, PAYLOAD_TOO_LARGE above `FILE_BYTES`, and
 * VALIDATION_ERROR for an empty or incomplete body, or one that is slower than 64 KiB a second: it occupies one of few places.
 */
export async function receiveFile(request: IncomingMessage, { name }: { name: string }): Promise<ReceivedFile> {
  requirePlain(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > FILE_BYTES) throw tooLarge();
  const hash = createHash('sha256');
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let filling = 0;
  let sizeBytes = 0;
  let kind: FileKind | null = null;

  /** Collects the body into chunks of equal size, because a client may send a file in many small ones. */
  function take(chunk: Buffer): void {
    hash.update(chunk);
    for (let from = 0; from < chunk.length; ) {
      let piece = pieces.at(-1);
      if (!piece || filling === piece.length) {
        piece = new Uint8Array(PIECE_BYTES);
        pieces.push(piece);
        filling = 0;
      }
      const part = chunk.subarray(from, from + piece.length - filling);
      piece.set(part, filling);
      filling += part.length;
      from += part.length;
    }
  }

  for await (const chunk of chunksOf(request)) {
    sizeBytes += chunk.length;
    if (sizeBytes > FILE_BYTES) throw tooLarge();
    take(chunk);
    const [first] = pieces;
    if (kind === null && first && sizeBytes >= HEAD_BYTES) kind = requireKind(first);
  }
  if (sizeBytes === 0) throw new GatewayError('VALIDATION_ERROR', 'The file is empty.');
  const [first] = pieces;
  kind ??= requireKind(first?.subarray(0, sizeBytes) ?? new Uint8Array());
  const last = pieces.pop();
  if (last) pieces.push(last.slice(0, filling));
  return {
    name: safeFileName(name, kind.contentType),
    contentType: kind.contentType,
    sizeBytes,
    sha256: new Uint8Array(hash.digest()),
    pieces,
  };
}

/** Does not destroy the request when the loop ends early, because the response must still be sent on its connection. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  const startMs = performance.now();
  let received = 0;
  try {
    for (;;) {
      const allowedMs = GRACE_MS + (received * 1_000) / SLOWEST_BYTES_PER_SECOND;
      const next = await within(startMs + allowedMs - performance.now(), chunks.next());
      if (next.done) break;
      received += next.value.length;
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('VALIDATION_ERROR', 'The request body was not received.', { cause });
  } finally {
    // Not awaited, because it waits for a chunk that may never arrive.
    chunks.return?.().catch(() => undefined);
  }
  if (!request.complete) throw new GatewayError('VALIDATION_ERROR', 'The request body was not received.');
}

/** Throws VALIDATION_ERROR if the chunk does not arrive in time. */
async function within<Chunk>(timeMs: number, chunk: Promise<Chunk>): Promise<Chunk> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The body arrived at less than ${SLOWEST_BYTES_PER_SECOND} bytes a second.`;
    late.reject(new GatewayError('VALIDATION_ERROR', message));
  }, timeMs);
  try {
    return await Promise.race([chunk, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function requirePlain(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be the file itself, without a content encoding.');
  }
}

function requireKind(head: Uint8Array): FileKind {
  const kind = fileKindOf(head);
  if (kind) return kind;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', `The body must be a file of one of these types: ${KINDS}.`);
}

function tooLarge(): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `A file can have at most ${FILE_BYTES} bytes.`);
}
