import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
} from 'graphql';

/** `columns` is null if all of them are read. */
export type ColumnSelection = { columns: ReadonlySet<string> | null };

/** Each set of columns is a statement of its own on each connection, and callers may select any of many sets. */
const MAX_SETS = 60;

const decided = new WeakMap<FieldNode, ColumnSelection | undefined>();
const sets = new Map<string, ReadonlySet<string>>();

/**
 * Returns the columns that a field which returns one row of the database selects, or undefined if it also selects relations, which Pothos
 * has to plan. Planning costs more than the decision, which is kept for each document. A field names its column when it is exposed, and
 * otherwise lists the columns that it reads as `extensions.columns`; one that does neither reads all of them.
 */
export function selectedColumns(info: GraphQLResolveInfo): ColumnSelection | undefined {
  const [node, ...others] = info.fieldNodes;
  if (!node || others.length > 0) return undefined;
  if (decided.has(node)) return decided.get(node);
  const type = getNamedType(info.returnType);
  const selection = isObjectType(type) ? selectionOf(type, node) : undefined;
  decided.set(node, selection);
  return selection;
}

function selectionOf(type: GraphQLObjectType, { selectionSet }: FieldNode): ColumnSelection | undefined {
  const fields = type.getFields();
  const columns = new Set<string>();
  let areListed = true;
  for (const selected of selectionSet?.selections ?? []) {
    if (selected.kind !== Kind.FIELD || selected.selectionSet) return undefined;
    const name = selected.name.value;
    if (name === '__typename') continue;
    // Pothos sets the first to false for exposed columns.
    const { pothosPrismaSelect, pothosExposedField, columns: read } = fields[name]?.extensions ?? {};
    if (pothosPrismaSelect) return undefined;
    const listed = typeof pothosExposedField === 'string' ? [pothosExposedField] : read;
    if (Array.isArray(listed)) for (const column of listed) columns.add(column);
    else areListed = false;
  }
  return { columns: areListed ? keptSet(columns) : null };
}

/** Null for a new set when `MAX_SETS` are in use. */
function keptSet(columns: ReadonlySet<string>): ReadonlySet<string> | null {
  const key = [...columns].sort().join();
  const known = sets.get(key);
  if (known) return known;
  if (sets.size >= MAX_SETS) return null;
  sets.set(key, columns);
  return columns;
}
