/** The cursor arguments of the API, found by walking the schema, and values that no list returned as a cursor. */
import { type GraphQLArgument, type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';

export const CURSORS = ['after', 'before', 'cursor'];
export const UUID = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

export type Step = { field: GraphQLField<unknown, unknown>; on: GraphQLObjectType };
/** A field with a cursor, and the fields that lead to it from a root. */
export type Place = { path: Step[]; argument: GraphQLArgument };

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
  (type) => type !== undefined && type !== null,
);

/** Prefers a path from the query type, so that nothing is changed. */
function findPlaces(): Place[] {
  const seen = new Set<GraphQLObjectType>(roots);
  return roots.flatMap((root) => placesFrom(root, seen));
}

/** Breadth-first, so that each field is reached by the shortest path. */
function placesFrom(root: GraphQLObjectType, seen: Set<GraphQLObjectType>): Place[] {
  const places: Place[] = [];
  let paths: Step[][] = Object.values(root.getFields()).map((field) => [{ field, on: root }]);
  while (paths.length > 0) {
    const deeper: Step[][] = [];
    for (const path of paths) {
      const { field } = path.at(-1) as Step;
      for (const argument of field.args) if (CURSORS.includes(argument.name)) places.push({ path, argument });
      const type = getNamedType(field.type);
      if (!isObjectType(type) || seen.has(type)) continue;
      seen.add(type);
      for (const next of Object.values(type.getFields())) deeper.push([...path, { field: next, on: type }]);
    }
    paths = deeper;
  }
  return places;
}

export const nameOf = ({ path, argument }: Place) =>
  `${path.map(({ field }) => field.name).join('.')}(${argument.name}: ${argument.type})`;

export const cursorPlaces = findPlaces();

const encoded = (text: string) => Buffer.from(text).toString('base64');

/** Texts that no list returned as a cursor. */
export const texts: unknown[] = [
  '',
  'a\u0000b',
  ' ',
  'x',
  '!!!',
  'null',
  '-1',
  `${UUID} `,
  UUID.slice(0, -1),
  `{${UUID}}`,
  '1 OR 1=1',
  ...['S', 'N', 'I', 'D', 'B', 'M', 'O', 'Z', 'T', 'J', 'X', ''].flatMap((tag) => [
    encoded(`GPC:${tag}:`),
    encoded(`GPC:${tag}:${UUID}`),
    encoded(`GPC:${tag}:not-a-uuid`),
    encoded(`GPC:${tag}:-1`),
    encoded(`GPC:${tag}:{"contains":""}`),
    encoded(`GPC:${tag}:["S:${UUID}"]`),
  ]),
  encoded('offset:1'),
  encoded('OffsetConnection:-1'),
  encoded(`Merchant:${UUID}`),
  Buffer.from([0xff, 0xfe, 0x00]).toString('base64'),
  'A'.repeat(100_000),
  `${UUID}\u0000`,
  '\ud800',
  1,
  1.5,
  true,
  ['x'],
  { id: UUID },
];
const numbers: unknown[] = [-1, -2_147_483_648, 2_147_483_648, 9_007_199_254_740_992, 1e100, 0.5, '', '1', 'x', true];

/** The row type whose cursors a connection takes; undefined where the cursor is no connection's. */
export function rowTypeOf({ path }: Place): string | undefined {
  const type = getNamedType(path.at(-1)?.field.type);
  const edge =
    isObjectType(type) && type.name.endsWith('Connection') ? getNamedType(type.getFields().edges?.type) : null;
  return isObjectType(edge) ? getNamedType(edge.getFields().node?.type)?.name : undefined;
}

export function forgedFor(place: Place): unknown[] {
  if (getNamedType(place.argument.type).name === 'Int')
    return [...numbers, ...(place.argument.name === 'before' ? [0] : [])];
  const row = rowTypeOf(place);
  if (row === undefined) return texts;
  const tag = (text: string) => Buffer.from(text).toString('base64url');
  return [
    ...texts,
    UUID,
    tag(`${row}:`),
    tag(`${row}:not-a-uuid`),
    tag(`${row}:${UUID}:${UUID}`),
    tag(`${row}:${UUID.toUpperCase()}`),
    tag(`${row}:${UUID}\u0000`),
    `${tag(`${row}:${UUID}`)}=`,
    `${tag(`${row}:${UUID}`)} `,
    tag(`${row.toLowerCase()}:${UUID}`),
    // Cursors of other lists.
    ...[...new Set(cursorPlaces.map(rowTypeOf))]
      .filter((other) => other !== undefined && other !== row)
      .map((other) => tag(`${other}:${UUID}`)),
  ];
}
