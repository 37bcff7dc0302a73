import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export type RawAnswer = {
  status: number;
  headers: Record<string, string | undefined>;
  /** The body as received. */
  bytes: Buffer;
  /** The body after decoding by the response's Content-Encoding. */
  text: string;
};

/** Makes a request with Node's own client, which sends exactly these headers and decodes nothing. */
export function rawCall(
  url: string,
  call: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: call.method ?? 'GET', headers: call.headers ?? {} }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(Buffer.from(chunk));
      const bytes = Buffer.concat(chunks);
      const headers = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : value,
        ]),
      );
      resolve({ status: response.statusCode ?? 0, headers, bytes, text: decoded(bytes, headers['content-encoding']) });
    });
    asked.on('error', reject);
    asked.end(call.body);
  });
}

function decoded(bytes: Buffer, encoding: string | undefined): string {
  if (bytes.length === 0) return '';
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}
