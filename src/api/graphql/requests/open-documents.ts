/** Finds, reads and caches the documents of an API process, for HTTP, event streams and WebSockets. */
import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import type { Principal } from '../../../auth/principal.ts';
import type { Config } from '../../../config/config.ts';
import { byteLimits } from '../server/limits.ts';
import { type Asked, type AskedDocument, askedDocument } from './asked-document.ts';
import { type DocumentOwner, documentOwner, openDocumentCache } from './document-cache.ts';
import type { KnownDocuments } from './known-documents.ts';
import { parseDocument, validateDocument } from './read-document.ts';

/** The sender of a document. Undefined if the transport has no gate, as in an API without limits. */
export type DocumentSender = { principal: Principal; address: string } | undefined;

export type ReadDocument = { document: DocumentNode; errors: readonly GraphQLError[] };

export type Documents = {
  /** See `askedDocument`. */
  find(sender: DocumentSender, params: Asked): AskedDocument | undefined;
  /** Parses and validates the document unless it is cached. Throws if the text cannot be parsed or is too large (`parseDocument`). */
  read(sender: DocumentSender, asked: AskedDocument): ReadDocument;
  /** Returns the estimated size of the cache in bytes. */
  heldBytes(): number;
};

const nobody: DocumentOwner = { key: 'nobody', isPublicCaller: false };

export function openDocuments(
  config: Pick<Config, 'bodies' | 'graphql'>,
  { schema, known }: { schema: GraphQLSchema; known: KnownDocuments },
): Documents {
  const cache = openDocumentCache({ limitBytes: config.graphql.cacheBytes });
  const shipped = new Map<string, ReadDocument>();
  const ownerOf = (sender: DocumentSender) => (sender ? documentOwner(sender.principal, sender.address) : nobody);

  function readShipped(text: string): ReadDocument {
    const found = shipped.get(text);
    if (found) return found;
    const read = parseAndValidate(text, Number.POSITIVE_INFINITY);
    shipped.set(text, read);
    return read;
  }

  function parseAndValidate(text: string, maxBytes: number): ReadDocument {
    const parsed = parseDocument(text, { ...config.graphql, maxBytes });
    return { document: parsed.document, errors: validateDocument(schema, parsed) };
  }

  return {
    find: (sender, params) =>
      askedDocument({ known, cache, persistedOnly: config.graphql.persistedOnly }, { owner: ownerOf(sender), params }),
    read(sender, { text, isKnown, hash }) {
      if (isKnown) return readShipped(text);
      const owner = ownerOf(sender);
      const kept = cache.find(owner, text);
      if (kept) {
        if (hash !== undefined && cache.textOf(owner, hash) === undefined)
          cache.keep(owner, { text, document: kept, hash });
        return { document: kept, errors: [] };
      }
      const maxBytes = sender ? byteLimits(config, sender.principal).document : config.graphql.documentBytes;
      const read = parseAndValidate(text, maxBytes);
      if (read.errors.length === 0) cache.keep(owner, { text, document: read.document, hash });
      return read;
    },
    heldBytes: () => cache.heldBytes(),
  };
}
