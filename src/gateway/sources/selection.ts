/**
 * What an operation selects of a source's object, as text for the source: fragments are expanded, conditions are evaluated, and aliases and
 * order are removed, so that rows with the same selection are requested together. The published fields read the response by field name.
 */
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Picked = { fields: Map<string, Picked | null>; on: Map<string, Picked> };

/** Returns `{ … }`, or '' if the field has no selections. Depth and size were checked with the operation. */
export function selectionText(info: GraphQLResolveInfo, { prefix, also }: { prefix: string; also: string }): string {
  const picked = emptyPick();
  const sets = info.fieldNodes.flatMap(({ selectionSet }: FieldNode) => selectionSet ?? []);
  if (sets.length === 0) return '';
  for (const set of sets) gather(info, set, picked);
  return printed(picked, { prefix, also });
}

function emptyPick(): Picked {
  return { fields: new Map(), on: new Map() };
}

function gather(info: GraphQLResolveInfo, set: SelectionSetNode, into: Picked): void {
  for (const selection of set.selections) {
    if (!isIncluded(info, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value;
      if (name.startsWith('__')) continue;
      const inner = into.fields.get(name) ?? (selection.selectionSet ? emptyPick() : null);
      into.fields.set(name, inner);
      if (inner && selection.selectionSet) gather(info, selection.selectionSet, inner);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      gather(info, selection.selectionSet, pickOn(into, selection.typeCondition?.name.value));
    } else {
      const fragment = info.fragments[selection.name.value];
      if (fragment) gather(info, fragment.selectionSet, pickOn(into, fragment.typeCondition.name.value));
    }
  }
}

function pickOn(into: Picked, typeName: string | undefined): Picked {
  if (typeName === undefined) return into;
  const inner = into.on.get(typeName) ?? emptyPick();
  into.on.set(typeName, inner);
  return inner;
}

function isIncluded({ variableValues }: GraphQLResolveInfo, selection: SelectionNode): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.if !== true && include?.if !== false;
}

/** `__typename` keeps a selection from being empty, and identifies the type of an object that can be one of several. */
function printed(picked: Picked, { prefix, also = '' }: { prefix: string; also?: string }): string {
  const fields = [...picked.fields]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, inner]) => (inner ? `${name} ${printed(inner, { prefix })}` : name));
  const on = [...picked.on]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([type, inner]) => `... on ${type.slice(prefix.length)} ${printed(inner, { prefix })}`);
  return `{ ${['__typename', also, ...fields, ...on].filter((part) => part !== '').join(' ')} }`;
}
