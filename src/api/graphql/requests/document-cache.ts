/**
 * Callers' documents that a process keeps parsed and validated, so that further requests with the same text skip both steps. The size of
 * the cache is limited by estimated bytes of memory, and only valid documents are cached.
 *
 * A document belongs to the *owner* that sent it: an app, the members of a merchant, or an address without a credential. Owners cannot read
 * each other's entries or evict them: callers without credentials and merchants have separate spaces, and each owner may use at most an
 * eighth of its space.
 *
 * An entry may also be registered under the hash of its text (automatic persisted queries). The hash is valid as long as the entry exists.
 */
import { type DocumentNode, TokenKind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { isPublicCaller, type Principal } from '../../../auth/principal.ts';

export type DocumentOwner = { key: string; isPublicCaller: boolean };

export type DocumentCache = {
  /** Returns the parsed document of this text, if it was validated before. */
  find(owner: DocumentOwner, text: string): DocumentNode | undefined;
  /** Caches a valid document. `hash` registers it as a persisted query. */
  keep(owner: DocumentOwner, entry: { text: string; document: DocumentNode; hash?: string | undefined }): void;
  /** Returns the text that the owner registered under a hash. */
  textOf(owner: DocumentOwner, hash: string): string | undefined;
  /** Returns the estimated size of all entries in bytes. */
  heldBytes(): number;
};

type Entry = { owner: string; text: string; document: DocumentNode; bytes: number; hash: string | undefined };
type Space = {
  entries: LRUCache<string, Entry>;
  heldBy: Map<string, number>;
  hashes: Map<string, string>;
  limit: number;
};

/**
 * Estimated memory of a parsed document per lexical token, including nodes and positions. Measured: 455 bytes per token for the documents
 * of the pages, and 90 (comments) to 514 (fields of four letters) for hostile documents.
 */
const BYTES_PER_TOKEN = 600;
/** Estimated memory for the maps, hash and keys of an entry. */
const BYTES_PER_ENTRY = 1_024;
const PUBLIC_SHARE = 4;
const OWNERS_SHARE = 8;

/** A quarter of `limitBytes` is for callers without a merchant's credential, the rest for merchants. */
export function openDocumentCache({ limitBytes }: { limitBytes: number }): DocumentCache {
  const publicSpace = openSpace(Math.floor(limitBytes / PUBLIC_SHARE));
  const merchants = openSpace(limitBytes - Math.floor(limitBytes / PUBLIC_SHARE));
  const spaceOf = (owner: DocumentOwner) => (owner.isPublicCaller ? publicSpace : merchants);

  return {
    find(owner, text) {
      return spaceOf(owner).entries.get(keyOf(owner, text))?.document;
    },
    keep(owner, { text, document, hash }) {
      const space = spaceOf(owner);
      const bytes = BYTES_PER_ENTRY + 4 * text.length + BYTES_PER_TOKEN * tokensOf(document);
      const quota = Math.floor(space.limit / OWNERS_SHARE);
      if (bytes > quota) return;
      const key = keyOf(owner, text);
      const known = space.entries.get(key);
      if (known) space.entries.delete(key);
      evictFor(space, owner, quota - bytes);
      const kept = { owner: owner.key, text, document, bytes, hash: hash ?? known?.hash };
      space.heldBy.set(owner.key, (space.heldBy.get(owner.key) ?? 0) + bytes);
      space.entries.set(key, kept);
      if (kept.hash !== undefined) space.hashes.set(keyOf(owner, kept.hash), text);
    },
    textOf(owner, hash) {
      return spaceOf(owner).hashes.get(keyOf(owner, hash));
    },
    heldBytes() {
      return publicSpace.entries.calculatedSize + merchants.entries.calculatedSize;
    },
  };
}

/** Returns the owner of a caller's documents. */
export function documentOwner(principal: Principal, address: string): DocumentOwner {
  if (principal.kind === 'apiKey') return { key: `app:${principal.appId}`, isPublicCaller: false };
  if (principal.kind === 'member') return { key: `merchant:${principal.merchantId}`, isPublicCaller: false };
  if (principal.kind === 'platform') return { key: `platform:${principal.credentialId}`, isPublicCaller: false };
  return { key: `address:${address}`, isPublicCaller: isPublicCaller(principal) };
}

function openSpace(limit: number): Space {
  const heldBy = new Map<string, number>();
  const hashes = new Map<string, string>();
  const entries = new LRUCache<string, Entry>({
    maxSize: limit,
    sizeCalculation: (entry) => entry.bytes,
    dispose: ({ owner, bytes, hash }) => {
      const heldBytes = (heldBy.get(owner) ?? 0) - bytes;
      if (heldBytes > 0) heldBy.set(owner, heldBytes);
      else heldBy.delete(owner);
      if (hash !== undefined) hashes.delete(keyOf({ key: owner }, hash));
    },
  });
  return { entries, heldBy, hashes, limit };
}

/** Evicts the owner's oldest documents until they take at most `mayHold` bytes. */
function evictFor(space: Space, owner: DocumentOwner, mayHold: number): void {
  if ((space.heldBy.get(owner.key) ?? 0) <= mayHold) return;
  for (const key of [...space.entries.rkeys()]) {
    if (space.entries.peek(key)?.owner !== owner.key) continue;
    space.entries.delete(key);
    if ((space.heldBy.get(owner.key) ?? 0) <= mayHold) return;
  }
}

function keyOf(owner: Pick<DocumentOwner, 'key'>, name: string): string {
  return `${owner.key}\n${name}`;
}

function tokensOf(document: DocumentNode): number {
  let count = 0;
  for (let token = document.loc?.startToken.next; token && token.kind !== TokenKind.EOF; token = token.next) count += 1;
  return count;
}
