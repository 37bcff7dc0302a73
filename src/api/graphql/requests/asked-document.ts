/**
 * Determines the document of a request. A client sends its text, the id of a document that the installation ships (`documentId`, or the
 * hash of a persisted query), or the hash of a text that it registered before (automatic persisted queries as in Apollo and urql). With
 * GRAPHQL_PERSISTED_ONLY, only documents that the installation ships are executed.
 */
import { GatewayError, invalid } from '../../../errors.ts';
import type { DocumentCache, DocumentOwner } from './document-cache.ts';
import { documentHash, type KnownDocuments } from './known-documents.ts';

export type Asked = { query?: string | null | undefined; extensions?: unknown; documentId?: unknown };

export type AskedDocument = {
  text: string;
  /** Whether the installation ships it. It then has no owner, and the caller's size limits do not apply. */
  isKnown: boolean;
  /** The hash under which the document is registered once it has been validated. */
  hash?: string | undefined;
};

const DOCUMENT_ID = /^(?:sha256:)?([0-9a-f]{64})$/;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Returns the document, or undefined if the request names none. Throws VALIDATION_ERROR for an unknown `documentId`, for a hash that does
 * not match the text, and for a text of the caller if only persisted documents are executed. Throws PERSISTED_QUERY_NOT_FOUND for a hash
 * without a text that the caller has not registered.
 */
export function askedDocument(
  parts: { known: KnownDocuments; cache: DocumentCache; persistedOnly: boolean },
  { owner, params }: { owner: DocumentOwner; params: Asked },
): AskedDocument | undefined {
  const { known, persistedOnly } = parts;
  const query = typeof params.query === 'string' ? params.query : undefined;
  if (typeof params.documentId === 'string') return shipped(known, DOCUMENT_ID.exec(params.documentId)?.[1] ?? '');
  const hash = persistedHash(params.extensions);
  if (hash !== undefined) return persisted(parts, { owner, query, hash });
  if (query === undefined) return undefined;
  if (!persistedOnly) return { text: query, isKnown: false };
  const text = query.trim();
  if (known.has(documentHash(text))) return { text, isKnown: true };
  throw invalid([{ param: 'query', message: 'only persisted documents are accepted' }]);
}

function persisted(
  { known, cache, persistedOnly }: { known: KnownDocuments; cache: DocumentCache; persistedOnly: boolean },
  { owner, query, hash }: { owner: DocumentOwner; query: string | undefined; hash: string },
): AskedDocument {
  if (persistedOnly || known.has(hash)) return shipped(known, hash);
  // Over a WebSocket, a payload must contain a query, which may be empty.
  if (query === undefined || query === '') {
    const text = cache.textOf(owner, hash);
    if (text === undefined) throw new GatewayError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return { text, isKnown: false };
  }
  if (documentHash(query) === hash) return { text: query, isKnown: false, hash };
  throw invalid([{ param: 'extensions.persistedQuery.sha256Hash', message: 'is not the SHA-256 of the query' }]);
}

function shipped(known: KnownDocuments, hash: string): AskedDocument {
  const text = known.get(hash);
  if (text === undefined) throw invalid([{ param: 'documentId', message: 'is not the hash of a known document' }]);
  return { text, isKnown: true };
}

function persistedHash(extensions: unknown): string | undefined {
  const persistedQuery = member(extensions, 'persistedQuery');
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const version = member(persistedQuery, 'version');
  const hash = member(persistedQuery, 'sha256Hash');
  if (version !== undefined && version !== 1) {
    throw invalid([{ param: 'extensions.persistedQuery.version', message: 'must be 1' }]);
  }
  if (typeof hash === 'string' && HASH.test(hash)) return hash;
  throw invalid([{ param: 'extensions.persistedQuery.sha256Hash', message: 'must be 64 lower-case hex digits' }]);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
