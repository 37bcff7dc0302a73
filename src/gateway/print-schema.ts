/** Prints the composed schema and the fields that REST returns of its types into `schema`: `node src/gateway/print-schema.ts [--check]`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { printRestFragments } from '../api/rest/rest-fragments.ts';
import { composedSchema } from './composed-schema.ts';

const file = fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url));
const fragmentsFile = fileURLToPath(new URL('../../schema/rest/fragments/derived.graphql', import.meta.url));

/** The published text of the schema, sorted so that its order is deterministic. */
export function publishedSchema(): string {
  return `${printSchema(lexicographicSortSchema(composedSchema()))}\n`;
}

/** Whether the published files match the schema. */
export function schemaIsPublished(): boolean {
  return (
    readFileSync(file, 'utf8') === publishedSchema() && readFileSync(fragmentsFile, 'utf8') === printRestFragments()
  );
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, publishedSchema());
    writeFileSync(fragmentsFile, printRestFragments());
  } else if (!schemaIsPublished()) {
    console.error('The files in schema do not match the types: node src/gateway/print-schema.ts');
    process.exitCode = 1;
  }
}
