/**
 * Documents that are known beforehand, named by the SHA-256 of their text: a client sends `documentId` or
 * `extensions.persistedQuery.sha256Hash` in place of a query. With GRAPHQL_PERSISTED_ONLY nothing else is run.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { invalid } from '../../../errors.ts';
import type { TransportContext } from './request-plugin.ts';

export type PersistedDocuments = ReadonlyMap<string, string>;

const folder = fileURLToPath(new URL('../../../../schema/documents', import.meta.url));
/** What our own pages ask. */
const ofThePages = fileURLToPath(new URL('../../../../generated/web/documents.json', import.meta.url));
const HASH = /^(?:sha256:)?([0-9a-f]{64})$/;

/** Every `schema/documents/*.graphql` and what our pages ask, by the hash of its text. */
export function loadPersistedDocuments(from: string = folder, pages: string = ofThePages): PersistedDocuments {
  const names = existsSync(from) ? readdirSync(from).filter((name) => name.endsWith('.graphql')) : [];
  const texts = names.map((name) => readFileSync(join(from, name), 'utf8').trim());
  if (existsSync(pages)) texts.push(...z.array(z.string()).parse(JSON.parse(readFileSync(pages, 'utf8'))));
  return new Map(texts.map((text) => [documentHash(text), text]));
}

export function documentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Asked = { query?: string | null | undefined; extensions?: unknown; documentId?: unknown };

/**
 * The document that a request names or brings; VALIDATION_ERROR for an unknown name, and for a document of the caller's
 * own where only persisted ones are run.
 */
export function documentOf(documents: PersistedDocuments, persistedOnly: boolean, params: Asked): string | undefined {
  const name = nameOf(params);
  if (name !== undefined) {
    const text = documents.get(HASH.exec(name)?.[1] ?? '');
    if (text === undefined) throw invalid([{ param: 'documentId', message: 'names no document that is known here' }]);
    return text;
  }
  const query = params.query ?? undefined;
  if (!persistedOnly || query === undefined || documents.has(documentHash(query.trim()))) return query;
  throw invalid([{ param: 'query', message: 'only persisted documents are run here' }]);
}

export function persistedDocumentsPlugin(
  documents: PersistedDocuments,
  persistedOnly: boolean,
): Plugin<TransportContext> {
  return {
    onParams({ params, setParams }) {
      const query = documentOf(documents, persistedOnly, params);
      if (query !== params.query) setParams({ ...params, query });
    },
  };
}

function nameOf(params: Asked): string | undefined {
  if (typeof params.documentId === 'string') return params.documentId;
  const { extensions } = params;
  if (typeof extensions !== 'object' || extensions === null || !('persistedQuery' in extensions)) return undefined;
  const persisted: unknown = extensions.persistedQuery;
  if (typeof persisted !== 'object' || persisted === null || !('sha256Hash' in persisted)) return undefined;
  return typeof persisted.sha256Hash === 'string' ? persisted.sha256Hash : undefined;
}
