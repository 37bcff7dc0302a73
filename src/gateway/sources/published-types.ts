/**
 * A source's types as the gateway publishes them: those that joins reach, each under the source's prefix, so that none conflicts with a
 * type of the core. Their fields take no arguments, so nothing that a caller writes is sent to a source.
 */
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isSpecifiedScalarType,
  isUnionType,
  parse,
} from 'graphql';
import type { Join } from './joins.ts';
import type { LoadedSource } from './load-source.ts';

/** Maximum number of types of all sources together. */
const MOST_TYPES = 500;

/** The SDL of all joins and the types that they reach. `faults` are name conflicts with the core or with another source. */
export function publishedTypes(
  core: GraphQLSchema,
  joins: readonly Join[],
): { typeDefs: DocumentNode | null; faults: string[] } {
  const faults: string[] = [];
  const published = new Map<string, { owner: LoadedSource; text: string }>();
  for (const { source } of joins) {
    const { name, prefix } = source.settings;
    for (const type of reached(joins.filter((join) => join.source === source))) {
      const ours = `${prefix}${type.name}`;
      const other = published.get(ours);
      if (core.getType(ours)) faults.push(`source ${name}: the core has a type ${ours}; choose another prefix`);
      else if (other && other.owner !== source) {
        faults.push(`source ${name}: ${other.owner.settings.name} has a type ${ours} too; choose another prefix`);
      } else published.set(ours, { owner: source, text: sdlOf(type, source) });
    }
  }
  if (published.size > MOST_TYPES) faults.push(`the sources add ${published.size} types, at most ${MOST_TYPES}`);
  const extensions = joins.map(
    ({ typeName, fieldName, description, type }) =>
      `extend type ${typeName} { ${described(description ?? '')}${fieldName}: ${type} }`,
  );
  const text = [...[...published.values()].map((one) => one.text), ...extensions].join('\n');
  return { typeDefs: text === '' || faults.length > 0 ? null : parse(text), faults };
}

/** Returns every type of a source that the gateway's queries can reach. */
function reached(joins: readonly Join[]): GraphQLNamedType[] {
  const found = new Map<string, GraphQLNamedType>();
  const visit = (type: GraphQLNamedType, schema: GraphQLSchema): void => {
    if (isSpecifiedScalarType(type) || found.has(type.name)) return;
    found.set(type.name, type);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of fieldsOf(type)) visit(getNamedType(field.type), schema);
      for (const one of type.getInterfaces()) visit(one, schema);
    }
    if (isInterfaceType(type) || isUnionType(type)) {
      for (const one of schema.getPossibleTypes(type)) visit(one, schema);
    }
  };
  for (const { source, type } of joins) {
    const ours = type.replace(/[[\]!]/g, '');
    const named = source.schema.getType(ours.slice(source.settings.prefix.length));
    if (named && ours.startsWith(source.settings.prefix)) visit(named, source.schema);
  }
  return [...found.values()];
}

function fieldsOf(type: GraphQLNamedType) {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
}

function sdlOf(type: GraphQLNamedType, { settings: { prefix, name } }: LoadedSource): string {
  const ours = (named: { name: string }) => `${prefix}${named.name}`;
  const head = described(type.description?.trim() || `Of the source ${name}.`);
  const fields = () =>
    fieldsOf(type)
      .map((field) => `${described(field.description ?? '')}${field.name}: ${typeText(field.type, prefix)}`)
      .join('\n');
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => `${described(value.description ?? '')}${value.name}`);
    return `${head}enum ${ours(type)} {\n${values.join('\n')}\n}`;
  }
  if (isUnionType(type)) return `${head}union ${ours(type)} = ${type.getTypes().map(ours).join(' | ')}`;
  if (isObjectType(type) || isInterfaceType(type)) {
    const interfaces = type.getInterfaces().map(ours).join(' & ');
    const kind = isObjectType(type) ? 'type' : 'interface';
    return `${head}${kind} ${ours(type)}${interfaces === '' ? '' : ` implements ${interfaces}`} {\n${fields()}\n}`;
  }
  return `${head}scalar ${ours(type)}`;
}

function typeText(type: GraphQLOutputType, prefix: string): string {
  if (isNonNullType(type)) return `${typeText(type.ofType, prefix)}!`;
  if (isListType(type)) return `[${typeText(type.ofType, prefix)}]`;
  return isSpecifiedScalarType(type) ? type.name : `${prefix}${type.name}`;
}

/** A JSON string is also a valid GraphQL string. */
function described(text: string): string {
  return text === '' ? '' : `${JSON.stringify(text)}\n`;
}
