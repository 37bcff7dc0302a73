/**
 * Serves `/openapi.json`, `/v1/openapi.json` and the page at `/docs/api` that shows them, from files that are read once, and the documentation
 * at `/docs`.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding, type Encoding } from '../encoding/accept-encoding.ts';
import { openSite, type PublishedDocument } from './documentation-site.ts';

export type PublishedDocuments = {
  has(path: string): boolean;
  /** Finds the document for GET and HEAD, in the encoding that the client prefers. */
  find(method: string, path: string, acceptEncoding: string | undefined): Promise<PublishedDocument | undefined>;
};

type Held = { document: PublishedDocument; encoded: Map<Encoding, Promise<Buffer>> };

const compress: Record<Encoding, (body: Buffer | string) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/** Allows files of this installation only: no inline scripts or styles, no frames, and no other hosts. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice API</title>
<link rel="icon" href="/docs/api/favicon.png">
<link rel="stylesheet" href="/docs/api/viewer.css">
</head>
<body>
<nav><a href="/docs">Documentation</a> · <a href="/docs/api">Payments API</a> · <a href="/docs/api/card">Wallet-connect card API</a></nav>
<main id="docs"></main>
<noscript>The API is described at <a href="/openapi.json">/openapi.json</a> and <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
<script src="/docs/api/viewer.js"></script>
<script src="/docs/api/start.js"></script>
</body>
</html>
`;

/** The viewer's own selector of documents needs inline styles, which the policy forbids, so the page has links instead. */
const START = `SwaggerUIBundle({
  dom_id: '#docs',
  url: location.pathname.startsWith('/docs/api/card') ? '/v1/openapi.json' : '/openapi.json',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

export function openDocuments({ publicUrl }: { publicUrl: string }): PublishedDocuments {
  const loaded = new Map<string, Held>();
  const sources: Record<string, () => PublishedDocument> = {
    '/openapi.json': () => json(described('payments.json', publicUrl)),
    '/v1/openapi.json': () => json(described('card.json', publicUrl)),
    '/docs/api': () => page(PAGE),
    '/docs/api/': () => page(PAGE),
    '/docs/api/card': () => page(PAGE),
    '/docs/api/start.js': () => asset(Buffer.from(START), 'text/javascript; charset=utf-8'),
    '/docs/api/viewer.js': () => asset(viewer('swagger-ui-bundle.js'), 'text/javascript; charset=utf-8'),
    '/docs/api/viewer.css': () => asset(viewer('swagger-ui.css'), 'text/css; charset=utf-8'),
    '/docs/api/favicon.png': () => asset(viewer('favicon-32x32.png'), 'image/png'),
  };
  const site = openSite();
  return {
    has: (path) => Object.hasOwn(sources, path) || site.has(path),
    async find(method, path, acceptEncoding) {
      if (method !== 'GET' && method !== 'HEAD') return undefined;
      const source = Object.hasOwn(sources, path) ? sources[path] : undefined;
      if (!source) return site.read(path, acceptEncoding);
      const held = loaded.get(path) ?? { document: source(), encoded: new Map() };
      loaded.set(path, held);
      return encode(held, acceptEncoding);
    },
  };
}

/** Compresses each document once per encoding. */
async function encode({ document, encoded }: Held, acceptEncoding: string | undefined): Promise<PublishedDocument> {
  if (document.headers['content-type']?.startsWith('image/')) return document;
  const headers = { ...document.headers, vary: 'accept-encoding' };
  const { encoding } = chooseEncoding(acceptEncoding, ['br', 'gzip']);
  if (!encoding) return { ...document, headers };
  const body = encoded.get(encoding) ?? compress[encoding](document.body);
  encoded.set(encoding, body);
  return { ...document, headers: { ...headers, 'content-encoding': encoding }, body: await body };
}

/** Returns the published document with the URL of this installation. */
function described(file: string, publicUrl: string): string {
  const path = fileURLToPath(new URL(`../../../schema/openapi/${file}`, import.meta.url));
  const document = JSON.parse(readFileSync(path, 'utf8'));
  const info = { ...document.info, contact: { ...document.info.contact, url: publicUrl } };
  return JSON.stringify({ ...document, info, servers: [{ url: publicUrl }] });
}

function viewer(file: string): Buffer {
  return readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
}

function json(body: string): PublishedDocument {
  return {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'max-age=60',
    },
    body,
  };
}

function page(body: string): PublishedDocument {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
    },
    body,
  };
}

function asset(body: Buffer, type: string): PublishedDocument {
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'max-age=3600' }, body };
}
