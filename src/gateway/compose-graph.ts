import {
  type DefinitionNode,
  extendSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
  Kind,
  OperationTypeNode,
  parse,
  print,
  printSchema,
  printType,
  visit,
} from 'graphql';
import { addFields, type GatewaySource } from './gateway-source.ts';

type Part = Pick<GatewaySource, 'name' | 'schema' | 'joins'>;

/**
 * Extends the core's schema with what each source adds: its types, its root fields, and fields on the core's types. The core's own fields
 * keep their resolvers, and nothing is delegated. Throws a TypeError if a source redefines a type of the core.
 */
export function composeGraph(core: GraphQLSchema, sources: readonly Part[]): GraphQLSchema {
  let graph = core;
  for (const source of sources) {
    const { schema, joins } = source;
    const roots = schema ? rootNames(schema, core) : new Map<string, string>();
    const printed = schema ? parse(printSchema(schema)).definitions : [];
    const definitions = printed.flatMap((definition) => addedBy(source, { definition, graph, roots }));
    const { typeDefs, fields } = joins;
    graph = extendSchema(graph, { kind: Kind.DOCUMENT, definitions: [...definitions, ...typeDefs.definitions] });
    if (schema) takeResolvers(graph, { schema, roots });
    addFields(graph, fields);
  }
  return graph;
}

/** Maps the names of the source's root types to those of the core. */
function rootNames(source: GraphQLSchema, core: GraphQLSchema): Map<string, string> {
  const names = Object.values(OperationTypeNode).flatMap((operation) => {
    const own = source.getRootType(operation)?.name;
    const target = core.getRootType(operation)?.name;
    return own === undefined || target === undefined ? [] : [[own, target] as const];
  });
  return new Map(names);
}

function addedBy(
  { name: sourceName }: Part,
  { definition, graph, roots }: { definition: DefinitionNode; graph: GraphQLSchema; roots: Map<string, string> },
): DefinitionNode[] {
  if (!('name' in definition) || !definition.name) return [];
  const name = definition.name.value;
  const root = roots.get(name);
  if (root !== undefined && definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
    const { description: _description, ...rest } = definition;
    return [{ ...rest, kind: Kind.OBJECT_TYPE_EXTENSION, name: { kind: Kind.NAME, value: root } }];
  }
  const known = graph.getType(name);
  if (!known) return [definition];
  // Scalars such as DateTime, and Relay's PageInfo, are shared. The core's definitions are used.
  if (isScalarType(known) || bare(definition) === bareType(known)) return [];
  throw new TypeError(`The source ${sourceName} defines the type ${name}, which the graph has already.`);
}

function bareType(type: GraphQLNamedType): string | undefined {
  const [definition] = parse(printType(type)).definitions;
  return definition && bare(definition);
}

/** Prints a definition without descriptions. */
function bare(definition: DefinitionNode): string {
  return print(
    visit(definition, { enter: (node) => ('description' in node ? { ...node, description: undefined } : node) }),
  );
}

/** Gives the fields that were added as text the source's resolvers and its extensions for access and complexity. */
function takeResolvers(
  graph: GraphQLSchema,
  { schema, roots }: { schema: GraphQLSchema; roots: Map<string, string> },
): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const target = graph.getType(roots.get(type.name) ?? type.name);
    if (!isObjectType(type) || !isObjectType(target) || type.name.startsWith('__')) continue;
    for (const { name, resolve, extensions } of Object.values(type.getFields())) {
      const field = target.getFields()[name];
      // Fields that the core already has stay unchanged.
      if (!field || field.resolve) continue;
      Object.assign(field, { resolve, extensions: { ...field.extensions, ...extensions } });
    }
  }
}
