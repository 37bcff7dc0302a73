import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openCompressor } from '../../../src/api/encoding/compressor.ts';

const small = JSON.stringify({ text: 'x'.repeat(5_000) });
const large = JSON.stringify({ text: randomBytes(200_000).toString('base64') });

test('compresses a small body synchronously and a large one on another thread', async () => {
  const compressor = openCompressor({ atOnce: 1 });
  const now = compressor.compress(small, 'gzip');
  if (!(now instanceof Buffer)) throw new Error('A small body waits for another thread.');
  expect(gunzipSync(now).toString()).toBe(small);
  const later = compressor.compress(Buffer.from(large), 'br');
  expect(later).toBeInstanceOf(Promise);
  expect(brotliDecompressSync((await later) ?? Buffer.alloc(0)).toString()).toBe(large);
});

test('leaves large bodies over the limit uncompressed, and compresses again after one has finished', async () => {
  const compressor = openCompressor({ atOnce: 2 });
  const running = [compressor.compress(large, 'gzip'), compressor.compress(large, 'br')];
  expect(compressor.compress(large, 'gzip')).toBeUndefined();
  // The limit does not apply to small bodies, which the event loop compresses one at a time.
  expect(compressor.compress(small, 'gzip')).toBeInstanceOf(Buffer);
  await Promise.all(running);
  expect(compressor.compress(large, 'gzip')).toBeInstanceOf(Promise);
});

test('compresses nothing with a limit of zero', () => {
  const compressor = openCompressor({ atOnce: 0 });
  expect([compressor.compress(small, 'gzip'), compressor.compress(large, 'br')]).toEqual([undefined, undefined]);
});
