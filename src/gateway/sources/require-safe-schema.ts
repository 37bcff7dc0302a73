import { type GraphQLField, type GraphQLSchema, isObjectType, valueFromASTUntyped } from 'graphql';

/**
 * Throws if a schema of Mesh's OpenAPI handler would interpolate anything but its own arguments into a path, or has a field that calls the
 * source again. It checks the result of Mesh, regardless of how the description was written.
 */
export function requireSafeSchema(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const place = `${type.name}.${field.name}`;
      if (pathsOf(field, 'oas_link').length > 0) throw new Error(`${place}: links are not supported`);
      const paths = pathsOf(field, 'httpOperation');
      if (type === schema.getQueryType() && paths.length !== 1)
        throw new Error(`${place}: is not an operation with a path`);
      for (const path of paths) {
        const remainder = field.args.reduce((text, { name }) => text.replaceAll(`{args.${name}}`, ''), path);
        if (/[{}]/.test(remainder)) throw new Error(`${place}: it has the template ${path}`);
      }
    }
  }
}

/** Returns the argument `path` of each directive of this name. Mesh records in directives what it will do with a field. */
function pathsOf({ astNode }: GraphQLField<unknown, unknown>, directive: string): string[] {
  const directives = (astNode?.directives ?? []).filter(({ name }) => name.value === directive);
  return directives.map((one) => {
    const path = one.arguments?.find(({ name }) => name.value === 'path');
    return path ? String(valueFromASTUntyped(path.value)) : '';
  });
}
