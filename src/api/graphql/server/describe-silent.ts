/** Words for what plugins make: connections and their arguments; and for an input object, the words of its type. */
import { type GraphQLSchema, getNamedType, isInputObjectType, isObjectType } from 'graphql';

const fieldWords: Readonly<Record<string, string>> = {
  edges: 'The rows of this window, each with its cursor.',
  nodes: 'The rows of this window.',
  pageInfo: 'Where this window lies in the list.',
  totalCount: 'How many rows match; counted only when asked for.',
  cursor: 'The place of the row, for `after` and `before`.',
  node: 'The row.',
  hasNextPage: 'Whether rows follow this window.',
  hasPreviousPage: 'Whether rows lie before this window.',
  startCursor: 'The cursor of the first row; null where there is none.',
  endCursor: 'The cursor of the last row; null where there is none.',
};

const argumentWords: Readonly<Record<string, string>> = {
  first: 'Rows from the beginning, 1 to 100; 20 without it. Not together with `last`.',
  last: 'Rows from the end, 1 to 100. Not together with `first`.',
  after: 'A cursor: only rows that follow it.',
  before: 'A cursor: only rows that lie before it.',
};

/** Gives `schema` the words in place; what has some keeps them. */
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
  if (name === 'PageInfo') return 'Where a window lies in its list.';
  return name.endsWith('Edge') ? 'A row of a list, with its cursor.' : 'A window into a list, by keyset.';
}
