/**
 * Types for every GraphQL document of the pages: every `.graphql` file under `web/src` → `generated/web/documents.ts`, one typed constant
 * each, and `generated/web/documents.json`, the same texts for the API's list of documents that it knows.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { Kind, parse } from 'graphql';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'generated/web');

const schema = parse(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));
const documents = globSync('web/src/**/*.graphql', { cwd: root })
  .sort()
  .map((location) => ({ location, document: parse(readFileSync(join(root, location), 'utf8'), { noLocation: true }) }));

const config = {
  documentMode: 'string',
  enumsAsTypes: true,
  useTypeImports: true,
  immutableTypes: true,
  strictScalars: true,
  scalars: scalarTypes(),
  dedupeFragments: true,
  onlyOperationTypes: true,
  skipTypename: true,
};

const printed = await codegen({
  filename: 'documents.ts',
  schema,
  documents,
  config,
  plugins: [{ operations: {} }, { typedDocumentNode: {} }],
  pluginMap: { typescript, operations, typedDocumentNode },
});

// Marked as free of effects, so that each page carries its own documents only. The one import is a type of one line.
const decoration =
  'interface DocumentTypeDecoration<TResult, TVariables> { __apiType?: (variables: TVariables) => TResult }';
const code = `${decoration}\n${printed}`
  .replace(/^import type \{ DocumentTypeDecoration \}.*$/m, '')
  .replaceAll('= new TypedDocumentString(', '= /* @__PURE__ */ new TypedDocumentString(');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'documents.ts'), `/* Printed by web/print-documents.ts. */\n${code}\n`);
writeFileSync(join(folder, 'documents.json'), `${JSON.stringify(operationTexts(printed))}\n`);

/** Amounts, ids, times and decimals travel as strings; a number is never money. */
function scalarTypes(): Record<string, string> {
  const open = new Set(['JSON', 'JSONObject', 'ChainSelection', 'TokenSelection']);
  const names = schema.definitions
    .filter((definition) => definition.kind === Kind.SCALAR_TYPE_DEFINITION)
    .map((definition) => definition.name.value);
  return Object.fromEntries([...names, 'ID'].map((name) => [name, open.has(name) ? 'unknown' : 'string']));
}

/** Every operation with the fragments that it needs, as the page sends it. */
function operationTexts(printed: string): string[] {
  const texts = [...printed.matchAll(/new TypedDocumentString\(`([\s\S]*?)`/g)].map((match) => (match[1] ?? '').trim());
  return texts.filter((text) => !text.startsWith('fragment '));
}
