import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Encoding } from './accept-encoding.ts';

export type Compressor = {
  /** The compressed body, at once or later; undefined where it is to be sent as it is. */
  compress(body: string | Uint8Array, encoding: Encoding): Buffer | Promise<Buffer> | undefined;
};

/**
 * Up to this size a body is compressed on the event loop, in about a tenth of a millisecond: handing it to another thread
 * costs more than that (decision 0045).
 */
const INLINE_LIMIT_BYTES = 32 * 1024;

/** The lowest levels: the next ones take twice the time for a few percent. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const gzipOptions = { level: 1 };

const laterBrotli = promisify(brotliCompress);
const laterGzip = promisify(gzip);

/**
 * Compresses small bodies at once, and up to `atOnce` larger ones at the same time on other threads; while those run,
 * further large bodies are not compressed. With 0 nothing is.
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
