import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { documentOwner, openDocumentCache } from '../../../src/api/graphql/requests/document-cache.ts';
import { openDocuments } from '../../../src/api/graphql/requests/open-documents.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { parseConfig } from '../../../src/config/config.ts';

const MIB = 1024 * 1024;
const app = { key: 'app:a', isPublicCaller: false };
const otherApp = { key: 'app:b', isPublicCaller: false };
const publicCaller = { key: 'address:198.51.100.1', isPublicCaller: true };
const entry = (text: string, hash?: string) => ({ text, document: parse(text), hash });
const large = (name: string) =>
  `{ ${name}: viewer { ${Array.from({ length: 400 }, (_, n) => `k${n}: kind`).join(' ')} } }`;

test('finds a document by its text, only for its owner', () => {
  const cache = openDocumentCache({ limitBytes: MIB });
  const kept = entry('{ viewer { kind } }', 'h1');
  cache.keep(app, kept);
  expect(cache.find(app, kept.text)).toBe(kept.document);
  expect(cache.textOf(app, 'h1')).toBe(kept.text);
  for (const nobody of [otherApp, publicCaller]) {
    expect(cache.find(nobody, kept.text)).toBeUndefined();
    expect(cache.textOf(nobody, 'h1')).toBeUndefined();
  }
});

test('stays within its limit, whatever the number of owners', () => {
  const cache = openDocumentCache({ limitBytes: 32 * MIB });
  for (let n = 0; n < 2_000; n++) {
    cache.keep({ key: `app:${n % 20}`, isPublicCaller: false }, entry(large(`a${n}`)));
    cache.keep({ key: `address:${n}`, isPublicCaller: true }, entry(large(`b${n}`)));
  }
  expect(cache.heldBytes()).toBeLessThanOrEqual(32 * MIB);
  expect(cache.heldBytes()).toBeGreaterThan(24 * MIB);
});

test('evicts only an owner’s own documents when that owner’s share is full', () => {
  const cache = openDocumentCache({ limitBytes: 32 * MIB });
  const victim = entry(large('mine'), 'h2');
  cache.keep(app, victim);
  for (let n = 0; n < 200; n++) cache.keep(otherApp, entry(large(`a${n}`)));
  for (let n = 0; n < 200; n++) cache.keep(publicCaller, entry(large(`b${n}`)));
  expect(cache.find(app, victim.text)).toBe(victim.document);
  expect(cache.textOf(app, 'h2')).toBe(victim.text);
  expect(cache.find(otherApp, large('a0'))).toBeUndefined();
  expect(cache.find(otherApp, large('a199'))).toBeDefined();
});

test('does not evict documents of merchants for those of anonymous addresses', () => {
  const cache = openDocumentCache({ limitBytes: 8 * MIB });
  const victim = entry(large('mine'));
  cache.keep(app, victim);
  for (let n = 0; n < 300; n++) cache.keep({ key: `address:${n}`, isPublicCaller: true }, entry(large(`b${n}`)));
  expect(cache.find(app, victim.text)).toBe(victim.document);
});

test('evicts a hash together with its document', () => {
  const cache = openDocumentCache({ limitBytes: 8 * MIB });
  cache.keep(app, entry(large('first'), 'h3'));
  for (let n = 0; n < 50; n++) cache.keep(app, entry(large(`a${n}`)));
  expect(cache.textOf(app, 'h3')).toBeUndefined();
});

test('stores only valid documents', () => {
  const config = parseConfig({ DATABASE_URL: 'postgres://localhost/none', PRICE_SOURCE: 'fixed' });
  const documents = openDocuments(config, { schema, known: new Map() });
  const sender = { principal: { kind: 'anonymous' } as const, address: '198.51.100.1' };
  expect(documents.read(sender, { text: '{ nope }', isKnown: false }).errors).toHaveLength(1);
  expect(() => documents.read(sender, { text: '{', isKnown: false })).toThrow();
  expect(documents.heldBytes()).toBe(0);
  const { document } = documents.read(sender, { text: '{ viewer { kind } }', isKnown: false });
  expect(documents.heldBytes()).toBeGreaterThan(0);
  expect(documents.read(sender, { text: '{ viewer { kind } }', isKnown: false }).document).toBe(document);
});

test('treats anonymous callers and checkout sessions as strangers', () => {
  const address = '198.51.100.9';
  const key = {
    kind: 'apiKey',
    keyKind: 'SECRET',
    apiKeyId: 'k',
    keyHash: '',
    appId: 'a',
    merchantId: 'm',
    mode: 'TEST',
    scopes: null,
    allowedNetworks: [],
  } as const;
  const session = {
    kind: 'session',
    sessionId: 's',
    appId: 'a',
    merchantId: 'm',
    secretHash: new Uint8Array(),
  } as const;
  expect(documentOwner(key, address)).toEqual({ key: 'app:a', isPublicCaller: false });
  expect(documentOwner({ kind: 'anonymous' }, address)).toEqual({ key: `address:${address}`, isPublicCaller: true });
  expect(documentOwner(session, address).isPublicCaller).toBe(true);
});
