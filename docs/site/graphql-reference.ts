/** Prints the GraphQL reference, one page a kind of type, from the printed schema. */
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql';
import { escapeText, type ReferencePage } from './rest-reference.ts';

const pages = {
  objects: {
    title: 'Objects',
    holds: (type: GraphQLNamedType) => isObjectType(type) || isInterfaceType(type) || isUnionType(type),
  },
  inputs: { title: 'Inputs', holds: isInputObjectType },
  enums: { title: 'Enums', holds: isEnumType },
  scalars: { title: 'Scalars', holds: isScalarType },
};

export function printGraphqlReference(text: string): ReferencePage[] {
  const schema = buildSchema(text);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !roots.some((root) => root === type),
  );
  const operations = [
    ['Queries', schema.getQueryType()],
    ['Mutations', schema.getMutationType()],
    ['Subscriptions', schema.getSubscriptionType()],
  ] as const;
  return [
    ...operations.map(([title, type]) => ({
      path: `reference/graphql/${title.toLowerCase()}.md`,
      title,
      text: `# ${title}\n\n${Object.values(type?.getFields() ?? {})
        .map((field) => printOperation(schema, field))
        .join('\n')}`,
    })),
    ...Object.entries(pages).map(([name, { title, holds }]) => ({
      path: `reference/graphql/${name}.md`,
      title,
      text: `# ${title}\n\n${types
        .filter((type) => holds(type))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map((type) => printType(type))
        .join('\n')}`,
    })),
  ];
}

function printOperation(_schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): string {
  return `## ${field.name}\n\n${escapeText(field.description ?? '')}\n\nReturns ${typeLink(field.type)}.\n\n${fieldTable('Argument', field.args)}`;
}

function printType(type: GraphQLNamedType): string {
  const head = `## ${type.name}\n\n${escapeText(type.description ?? '')}\n`;
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name, description }) => `| \`${name}\` | ${cell(description)} |`);
    return `${head}\n| Value | Description |\n|---|---|\n${values.join('\n')}\n`;
  }
  if (isUnionType(type))
    return `${head}\nOne of ${type
      .getTypes()
      .map((one) => typeLink(one))
      .join(', ')}.\n`;
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
    return `${head}\n${fieldTable('Field', Object.values(type.getFields()))}`;
  }
  return head;
}

function fieldTable(
  heading: string,
  fields: readonly (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[],
): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, type, description }) => `| \`${name}\` | ${typeLink(type)} | ${cell(description)} |`,
  );
  return `| ${heading} | Type | Description |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function cell(text: string | null | undefined): string {
  return escapeText((text ?? '').replaceAll('\n', ' ')).replaceAll('|', '\\|');
}

/** The type as GraphQL writes it, with a link to its page. */
function typeLink(type: Parameters<typeof getNamedType>[0]): string {
  const named = getNamedType(type);
  if (!named) return '';
  const page = Object.entries(pages).find(([, { holds }]) => holds(named))?.[0] ?? 'scalars';
  const builtIn = ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(named.name);
  const written = String(type).replaceAll('[', '\\[').replaceAll(']', '\\]');
  return builtIn ? `\`${String(type)}\`` : `[${written}](/reference/graphql/${page}.md#${named.name.toLowerCase()})`;
}
