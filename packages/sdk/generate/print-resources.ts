/** Prints the resources of the client: an interface for each, and the table from which their methods are created. */
import type { Method } from './describe-methods.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { exampleOf } from './print-example.ts';
import { comment } from './print-type.ts';

export function printResources(methods: Method[], types: string[], document: OpenApiDocument): string {
  const byResource = groupByResource(methods);
  const interfaces = [...byResource].map(([resource, own]) => printInterface(resource, own));
  const used = types.filter((type) => interfaces.some((text) => new RegExp(`\\b${type}\\b`).test(text)));
  const members = [...byResource.keys()].map((resource) => `  readonly ${resource}: ${pascal(resource)}Resource;\n`);
  return [
    "// Printed by packages/sdk/generate/main.ts from the gateway's OpenAPI document; not to be edited.",
    "import type { ListPromise } from '../lists.ts';",
    "import type { RequestOptions } from '../request-options.ts';",
    `import type {\n${used.map((type) => `  ${type},\n`).join('')}} from './types.ts';`,
    '',
    ...interfaces,
    `export interface Resources {\n${members.join('')}}`,
    '',
    '/** For each method: HTTP method, path, result, arguments, and whether it accepts an idempotency key. */',
    `export const operations = {\n${[...byResource].map(([resource, own]) => printTable(resource, own)).join('')}} as const;`,
    '',
    ...printLiveDocuments(document),
  ].join('\n');
}

export function groupByResource(methods: Method[]): Map<string, Method[]> {
  const sorted = [...methods].sort((left, right) => left.resource.localeCompare(right.resource));
  return Map.groupBy(sorted, (method) => method.resource);
}

export function signatureOf(method: Method): string {
  const { takes } = method;
  const parameters = [
    ...method.pathVariables.map((variable) => `${variable}: string`),
    ...takes.map(({ kind, isRequired, type }) => `${kind}${isRequired ? '' : '?'}: ${type}`),
    'options?: RequestOptions',
  ];
  return `${method.name}(${parameters.join(', ')}): ${returnType(method)}`;
}

function returnType({ returns, type }: Method): string {
  if (returns === 'pages') return `ListPromise<${type}>`;
  if (returns === 'list') return `Promise<Array<${type}>>`;
  return `Promise<${type}>`;
}

function printInterface(resource: string, methods: Method[]): string {
  const tag = methods[0]?.operation.tags[0] ?? resource;
  const printed = methods.map((method) => {
    const { summary, description } = method.operation;
    const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`;
    const example = `@example\n\`\`\`ts\n${exampleOf(method).text}\n\`\`\``;
    return `${comment([sentence, description, example], '  ')}  ${signatureOf(method)};\n`;
  });
  return `/** ${tag}. */\nexport interface ${pascal(resource)}Resource {\n${printed.join('\n')}}\n`;
}

function printTable(resource: string, methods: Method[]): string {
  const rows = methods.map((method) => {
    const words = [
      method.httpMethod,
      method.path,
      method.returns,
      method.takes.map(({ kind }) => kind).join('+') || '-',
    ];
    return `    ${method.name}: '${[...words, ...(method.acceptsIdempotencyKey ? ['key'] : [])].join(' ')}',\n`;
  });
  return `  ${resource}: {\n${rows.join('')}  },\n`;
}

/** The fields that live updates select: those of the REST resources, which have the same names in GraphQL. */
function printLiveDocuments(document: OpenApiDocument): string[] {
  return ['PaymentIntent', 'Subscription'].map((name) => {
    const fields = selectionOf(document, name, new Set());
    return `export const ${lowerFirst(name)}Selection =\n  '${fields}';\n`;
  });
}

function selectionOf(document: OpenApiDocument, name: string, above: Set<string>): string {
  const schema = document.components.schemas[name];
  const fields = Object.entries(schema?.properties ?? {}).flatMap(([field, property]) => {
    const alternatives = [property, property.items, ...(property.oneOf ?? []), ...(property.anyOf ?? [])];
    const target = alternatives
      .map((one) => one?.$ref?.split('/').at(-1))
      .find((one) => one !== undefined && document.components.schemas[one]?.properties);
    if (target === undefined) {
      // An object that has no schema of its own.
      const inner = Object.keys(property.properties ?? {});
      return [inner.length > 0 ? `${field} { ${inner.join(' ')} }` : field];
    }
    return above.has(target) ? [] : [`${field} { ${selectionOf(document, target, new Set([...above, name]))} }`];
  });
  return fields.join(' ');
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
