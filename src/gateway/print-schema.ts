/** Prints the composed schema into schema/schema.graphql: `node src/gateway/print-schema.ts [--check]`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { composedSchema } from './composed-schema.ts';

const file = fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url));

/** The published text of the schema, sorted so that its order is deterministic. */
export function publishedSchema(): string {
  return `${printSchema(lexicographicSortSchema(composedSchema()))}\n`;
}

/** Whether the published file matches the schema. */
export function schemaIsPublished(): boolean {
  return readFileSync(file, 'utf8') === publishedSchema();
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) writeFileSync(file, publishedSchema());
  else if (!schemaIsPublished()) {
    console.error('schema/schema.graphql is not the schema: node src/gateway/print-schema.ts');
    process.exitCode = 1;
  }
}
