/**
 * Generates the parts of the package that depend on the gateway's OpenAPI document: the types, the resources with their
 * documentation, the examples as a module that the tests run, and `reference.md`, which is committed so that reviews show changes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCatalogue } from '../../../src/errors.ts';
import { describeMethods, type Method } from './describe-methods.ts';
import type { OpenApiDocument, Schema } from './openapi-document.ts';
import { exampleOf } from './print-example.ts';
import { groupByResource, printResources, signatureOf } from './print-resources.ts';
import { printDeclaration, typeName } from './print-type.ts';

const folder = join(import.meta.dirname, '..');
const document: OpenApiDocument = JSON.parse(readFileSync(join(folder, '../../schema/openapi/payments.json'), 'utf8'));
const { methods, declarations } = describeMethods(document);
const types = typesToPrint();

mkdirSync(join(folder, 'src/generated'), { recursive: true });
write('src/generated/types.ts', printTypes());
write('src/generated/resources.ts', printResources(methods, [...types.keys(), 'SluiceEvent'], document));
write('src/generated/examples.ts', printExamples());
write('reference.md', printReference());

function typesToPrint(): Map<string, Schema> {
  const components = Object.entries(document.components.schemas).filter(([name]) => !['Error', 'Event'].includes(name));
  const all = [...components.map(([name, schema]) => [typeName(name), schema] as const), ...declarations];
  return new Map(all.sort(([left], [right]) => left.localeCompare(right)));
}

function printTypes(): string {
  const events = Object.values(document.webhooks).map(
    ({ post }) => post.requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? 'never',
  );
  const codes = Object.entries(errorCatalogue).map(([code, { retryable }]) => `  ${code}: ${retryable},\n`);
  return [
    "// Printed by packages/sdk/generate/main.ts from the gateway's OpenAPI document; not to be edited.",
    '/** An event in the sequence of an app, as webhooks deliver it and `sluice.events` returns it. */',
    `export type SluiceEvent =\n${events.map((name) => `  | ${name}\n`).join('')}  ;`,
    '',
    '/** Whether a call that failed with this code may succeed if it is repeated unchanged. */',
    `export const retryableByCode = {\n${codes.join('')}} as const;`,
    '',
    ...[...types].map(([name, schema]) => printDeclaration(name, schema)),
  ].join('\n');
}

/** Prints every example as a function, which is type-checked with the package and run by its tests. */
function printExamples(): string {
  const examples = methods.map((method) => ({ method, ...exampleOf(method) }));
  const names = [...new Set(examples.flatMap(({ freeNames }) => freeNames))].sort();
  return [
    '// Printed by packages/sdk/generate/main.ts: the examples of the documentation.',
    "import type { Sluice } from '../index.ts';",
    '',
    `export type AtHand = { ${names.map((name) => `${name}: string`).join('; ')} };`,
    '',
    'export const examples: Record<string, (sluice: Sluice, atHand: AtHand) => Promise<void>> = {',
    ...examples.map(
      ({ method, text, freeNames }) =>
        `  '${method.resource}.${method.name}': async (sluice, { ${freeNames.join(', ')} }) => {\n    ${text.replaceAll('\n', '\n    ')}\n  },`,
    ),
    '};',
    '',
  ].join('\n');
}

function printReference(): string {
  const sections = [...groupByResource(methods)].map(([resource, own]) => {
    const rows = own.map((method) => `| \`${signature(method)}\` | \`${method.httpMethod} ${method.path}\` |`);
    return `## sluice.${resource}\n\n| method | operation |\n| --- | --- |\n${rows.join('\n')}\n`;
  });
  return [
    '# Reference of @sluice/sdk',
    '',
    'Printed by `node generate.ts` from the OpenAPI document. Every method also takes `options` as its last argument;',
    'descriptions and examples are in the documentation of the types. Live updates and webhooks, which are written by',
    'hand, are described in the [README](README.md).',
    '',
    ...sections,
  ].join('\n');
}

function signature(method: Method): string {
  return signatureOf(method)
    .replace(/,? ?options\?: RequestOptions/, '')
    .replaceAll('|', '\\|');
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}
