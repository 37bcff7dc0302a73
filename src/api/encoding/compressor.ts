import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Encoding } from './accept-encoding.ts';

export type Compressor = {
  /** Returns the compressed body or a promise of it, or undefined if the body must be sent unencoded. */
  compress(body: string | Uint8Array, encoding: Encoding): Buffer | Promise<Buffer> | undefined;
};

/**
 * Bodies up to this size are compressed on the event loop, which takes about a tenth of a millisecond. Passing them to another thread would
 * cost more (decision 0045).
 */
const INLINE_LIMIT_BYTES = 32 * 1024;

/** The lowest levels, because the next ones take twice the time and save a few percent. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const gzipOptions = { level: 1 };

const laterBrotli = promisify(brotliCompress);
const laterGzip = promisify(gzip);

/**
 * Compresses small bodies synchronously, and up to `atOnce` larger ones concurrently on other threads. Large bodies beyond that number are
 * not compressed. With 0, no body is compressed.
 */
export function openCompressor({ atOnce }: { atOnce: number }): Compressor {
  let running = 0;
  return {
    compress(body, encoding) {
      if (atOnce === 0) return undefined;
      if (Buffer.byteLength(body) <= INLINE_LIMIT_BYTES) {
        return encoding === 'br' ? brotliCompressSync(body, brotliOptions) : gzipSync(body, gzipOptions);
      }
      if (running >= atOnce) return undefined;
      running += 1;
      const compressed = encoding === 'br' ? laterBrotli(body, brotliOptions) : laterGzip(body, gzipOptions);
      return compressed.finally(() => {
        running -= 1;
      });
    },
  };
}
