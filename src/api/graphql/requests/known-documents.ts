/** The documents that this installation ships, by the SHA-256 hash of their text: those in `schema/documents` and those of the pages. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export type KnownDocuments = ReadonlyMap<string, string>;

const folder = fileURLToPath(new URL('../../../../schema/documents', import.meta.url));
const ofThePages = fileURLToPath(new URL('../../../../generated/web/documents.json', import.meta.url));

/** Loads every `schema/documents/*.graphql` and the documents of the pages, by the hash of their text. */
export function loadKnownDocuments(from: string = folder, pages: string = ofThePages): KnownDocuments {
  const names = existsSync(from) ? readdirSync(from).filter((name) => name.endsWith('.graphql')) : [];
  const texts = names.map((name) => readFileSync(join(from, name), 'utf8').trim());
  if (existsSync(pages)) texts.push(...z.array(z.string()).parse(JSON.parse(readFileSync(pages, 'utf8'))));
  return new Map(texts.map((text) => [documentHash(text), text]));
}

export function documentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
