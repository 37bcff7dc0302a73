/** Prints the REST reference, one page a tag and one for the objects, from the published OpenAPI document. */
import { z } from 'zod';

const schemaObject = z.record(z.string(), z.unknown());
type SchemaObject = z.infer<typeof schemaObject>;

const operationObject = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.record(z.string(), z.unknown())).default([]),
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ schema: schemaObject.optional(), example: z.unknown().optional() })),
    })
    .optional(),
  responses: z.record(z.string(), z.record(z.string(), z.unknown())),
});
type Operation = z.infer<typeof operationObject>;

const documentObject = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), schemaObject), parameters: z.record(z.string(), schemaObject) }),
});

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export type ReferencePage = { path: string; title: string; text: string };

export function printRestReference(source: unknown): ReferencePage[] {
  const document = documentObject.parse(source);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      path,
      method,
      operation: operationObject.parse(item[method]),
    })),
  );
  const pages = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const sections = own.map((one) => printOperation(document.components, one));
    return {
      path: `reference/rest/${slugOf(name)}.md`,
      title: name,
      text: `# ${name}\n\n${escapeText(description)}\n\n${sections.join('\n')}`,
    };
  });
  const objects = Object.entries(document.components.schemas).map(
    ([name, schema]) => `## ${name}\n\n${escapeText(String(schema.description ?? ''))}\n\n${printSchema(schema)}\n`,
  );
  return [
    ...pages,
    { path: 'reference/rest/objects.md', title: 'Objects', text: `# Objects\n\n${objects.join('\n')}` },
  ];
}

function printOperation(
  components: z.infer<typeof documentObject>['components'],
  { path, method, operation }: { path: string; method: string; operation: Operation },
): string {
  const parameters = operation.parameters.map((one) => resolveParameter(components, one));
  const [body] = Object.entries(operation.requestBody?.content ?? {});
  const parts = [
    `## ${operation.summary} {#${operation.operationId}}\n\n\`${method.toUpperCase()} ${path}\`\n\n${escapeText(operation.description ?? '')}\n`,
  ];
  if (parameters.length > 0) {
    parts.push(
      table(
        ['Parameter', 'In', 'Type', 'Description'],
        parameters.map((one) => [code(one.name), one.in, typeOf(one.schema), one.description]),
      ),
    );
  }
  if (body) {
    const [mediaType, { schema = {}, example }] = body;
    parts.push(`Body: ${typeOf(schema)} (\`${mediaType}\`)\n`);
    if (example !== undefined) parts.push(`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`);
  }
  const answers = Object.entries(operation.responses).flatMap(([status, response]) => describeAnswer(status, response));
  parts.push(table(['Status', 'Response'], answers));
  return parts.join('\n');
}

function describeAnswer(status: string, response: Record<string, unknown>): string[][] {
  if (Number(status) >= 400) return [];
  const content = z.record(z.string(), z.object({ schema: schemaObject.optional() })).parse(response.content ?? {});
  const shapes = Object.entries(content).map(([type, { schema = {} }]) => `${typeOf(dataOf(schema))} (\`${type}\`)`);
  return [[status, shapes.join(', ') || String(response.description ?? '')]];
}

/** What the envelope contains. */
function dataOf(schema: SchemaObject): SchemaObject {
  const properties = schemaObject.safeParse(schema.properties);
  const data = properties.success ? schemaObject.safeParse(properties.data.data) : undefined;
  return data?.success ? data.data : schema;
}

function resolveParameter(
  components: z.infer<typeof documentObject>['components'],
  parameter: Record<string, unknown>,
) {
  const reference = typeof parameter.$ref === 'string' ? nameOf(parameter.$ref) : undefined;
  const found = reference === undefined ? parameter : components.parameters[reference];
  return z
    .object({ name: z.string(), in: z.string(), description: z.string().default(''), schema: schemaObject.default({}) })
    .parse(found);
}

function printSchema(schema: SchemaObject): string {
  const values = Array.isArray(schema.enum) ? schema.enum : undefined;
  if (values) return `One of ${values.map((value) => code(String(value))).join(', ')}.\n`;
  const properties = z.record(z.string(), schemaObject).safeParse(schema.properties);
  if (!properties.success) return `${typeOf(schema)}\n`;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return table(
    ['Field', 'Type', 'Description'],
    Object.entries(properties.data).map(([name, field]) => [
      `${code(name)}${required.has(name) ? '' : ' (optional)'}`,
      typeOf(field),
      String(field.description ?? ''),
    ]),
  );
}

/** A type in a few words, with links to the objects that it names. */
function typeOf(schema: SchemaObject): string {
  if (typeof schema.$ref === 'string') return link(nameOf(schema.$ref));
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const several = z.array(schemaObject).safeParse(schema[key]);
    if (several.success) return [...new Set(several.data.map(typeOf))].join(key === 'allOf' ? ' and ' : ' or ');
  }
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(' or ');
  const items = schemaObject.safeParse(schema.items);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'any'];
  return types
    .map((type) => {
      if (type === 'array') return `array of ${items.success ? typeOf(items.data) : 'any'}`;
      return typeof schema.format === 'string' && type !== 'null' ? `${type} (${schema.format})` : String(type);
    })
    .join(' or ');
}

function link(name: string): string {
  return `[${name}](/reference/rest/objects.md#${name.toLowerCase()})`;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function table(head: string[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map((cell) => escapeText(cell))))].join('\n')}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Braces and angle brackets outside of code would be read as parts of a template. */
export function escapeText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('');
}
