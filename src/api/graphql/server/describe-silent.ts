/** Descriptions of what plugins generate: connections and their arguments, and for input objects, the description of their type. */
import { type GraphQLSchema, getNamedType, isInputObjectType, isObjectType } from 'graphql';

const fieldWords: Readonly<Record<string, string>> = {
  edges: 'The rows of this page, each with its cursor.',
  nodes: 'The rows of this page.',
  pageInfo: 'Position of this page in the list.',
  totalCount: 'Number of matching rows. They are counted only if the field is requested.',
  cursor: 'Cursor of the row, to pass as `after` or `before`.',
  node: 'The row.',
  hasNextPage: 'Whether there are rows after this page.',
  hasPreviousPage: 'Whether there are rows before this page.',
  startCursor: 'Cursor of the first row. Null if there is none.',
  endCursor: 'Cursor of the last row. Null if there is none.',
};

const argumentWords: Readonly<Record<string, string>> = {
  first: 'Number of rows from the beginning, 1 to 100. Defaults to 20. Cannot be combined with `last`.',
  last: 'Number of rows from the end, 1 to 100. Cannot be combined with `first`.',
  after: 'A cursor. Returns the rows after it.',
  before: 'A cursor. Returns the rows before it.',
};

/** Adds the descriptions to `schema`, in place. Existing descriptions are kept. */
export function describeSilent(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isMade = /(Connection|Edge|^PageInfo)$/.test(type.name);
    if (isMade) type.description ??= madeTypeWords(type.name);
    for (const field of Object.values(type.getFields())) {
      if (isMade) field.description ??= fieldWords[field.name];
      for (const argument of field.args) {
        const given = getNamedType(argument.type);
        argument.description ??= isInputObjectType(given) ? given.description : argumentWords[argument.name];
      }
    }
  }
  return schema;
}

function madeTypeWords(name: string): string {
  if (name === 'PageInfo') return 'Position of a page in its list.';
  return name.endsWith('Edge') ? 'A row of a list, with its cursor.' : 'A page of a list, with cursor pagination.';
}
