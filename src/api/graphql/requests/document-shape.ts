/**
 * Measures a parsed document in linear time. These figures limit the cost of validation and execution, so they are checked before either.
 *
 * - `operations`, `fragments`, `variables`: number of definitions of each kind.
 * - `directives`: number of directives as written, without expanding fragments.
 * - `fields`: number of selected fields in the largest operation, with fragments expanded and every alias counted.
 * - `depth`: levels of selections in the deepest operation. Introspection fields count as fields, but not as levels.
 * - `merges`: pairs of selections that validation compares, because they have the same place in the response or because two fragments are spread
 *   in one selection.
 */
import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type DocumentShape = {
  operations: number;
  fragments: number;
  variables: number;
  directives: number;
  fields: number;
  depth: number;
  merges: number;
};

type Size = { fields: number; depth: number };
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
type Measuring = { fragments: Fragments; sizes: Map<string, Size>; open: Set<string>; isCyclic: boolean };

const NOTHING: Size = { fields: 0, depth: 0 };

/**
 * `merges` is counted only for operations with at most `fieldsLimit` fields and without cycles of fragments. All others are rejected by the
 * other figures or by validation.
 */
export function shapeOf(document: DocumentNode, { fieldsLimit }: { fieldsLimit: number }): DocumentShape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measuring: Measuring = { fragments, sizes: new Map(), open: new Set(), isCyclic: false };
  const shape: DocumentShape = {
    operations: 0,
    fragments: 0,
    variables: 0,
    directives: 0,
    fields: 0,
    depth: 0,
    merges: 0,
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) shape.fragments += 1;
    shape.directives += directivesOf(definition);
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    shape.operations += 1;
    shape.variables += definition.variableDefinitions?.length ?? 0;
    const { fields, depth } = sizeOf(definition.selectionSet, measuring);
    shape.fields = Math.max(shape.fields, fields);
    shape.depth = Math.max(shape.depth, depth);
    if (fields <= fieldsLimit && !measuring.isCyclic) shape.merges += mergesIn([definition.selectionSet], fragments);
  }
  return shape;
}

function directivesOf(definition: DefinitionNode): number {
  if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) return 0;
  let directives = (definition.directives?.length ?? 0) + directivesIn(definition.selectionSet);
  for (const variable of definition.variableDefinitions ?? []) directives += variable.directives?.length ?? 0;
  return directives;
}

function directivesIn(set: SelectionSetNode): number {
  let directives = 0;
  for (const selection of set.selections) {
    directives += selection.directives?.length ?? 0;
    if ('selectionSet' in selection && selection.selectionSet) directives += directivesIn(selection.selectionSet);
  }
  return directives;
}

function sizeOf(set: SelectionSetNode, measuring: Measuring): Size {
  let fields = 0;
  let depth = 0;
  for (const selection of set.selections) {
    const inner = sizeOfSelection(selection, measuring);
    fields += inner.fields;
    depth = Math.max(depth, inner.depth);
  }
  return { fields, depth };
}

function sizeOfSelection(selection: SelectionNode, measuring: Measuring): Size {
  if (selection.kind === Kind.INLINE_FRAGMENT) return sizeOf(selection.selectionSet, measuring);
  if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value, measuring);
  const below = selection.selectionSet ? sizeOf(selection.selectionSet, measuring) : NOTHING;
  const isOfSchema = selection.name.value.startsWith('__');
  return { fields: below.fields + 1, depth: isOfSchema ? 1 : below.depth + 1 };
}

/** Measures each fragment once. A fragment within itself counts as nothing. */
function sizeOfFragment(name: string, measuring: Measuring): Size {
  const known = measuring.sizes.get(name);
  if (known) return known;
  const fragment = measuring.fragments.get(name);
  if (!fragment) return NOTHING;
  if (measuring.open.has(name)) {
    measuring.isCyclic = true;
    return NOTHING;
  }
  measuring.open.add(name);
  const size = sizeOf(fragment.selectionSet, measuring);
  measuring.open.delete(name);
  measuring.sizes.set(name, size);
  return size;
}

/** Counts the pairs of selections at one place of the response and at all places below it. */
function mergesIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const counts = new Map<string, number>();
  const below = new Map<string, SelectionSetNode[]>();
  const spread = new Set<string>();
  const gather = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) gather(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (!fragment || spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
        gather(fragment.selectionSet);
      } else {
        const key = selection.alias?.value ?? selection.name.value;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        const inner = below.get(key);
        if (selection.selectionSet && inner) inner.push(selection.selectionSet);
        else if (selection.selectionSet) below.set(key, [selection.selectionSet]);
      }
    }
  };
  for (const set of sets) gather(set);
  let merges = pairs(spread.size);
  for (const count of counts.values()) merges += pairs(count);
  for (const inner of below.values()) merges += mergesIn(inner, fragments);
  return merges;
}

function pairs(count: number): number {
  return (count * (count - 1)) / 2;
}
