import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType, Kind } from 'graphql';

const decided = new WeakMap<FieldNode, boolean>();

/**
 * Whether a field that returns one object of the database is selected with columns of its row alone, so that Pothos needs to plan no
 * relations. Planning costs more than the decision, which is kept for each document.
 */
export function selectsColumnsAlone({ fieldNodes, returnType }: GraphQLResolveInfo): boolean {
  const [node, ...others] = fieldNodes;
  if (!node || others.length > 0) return false;
  const known = decided.get(node);
  if (known !== undefined) return known;
  const type = getNamedType(returnType);
  const fields = isObjectType(type) ? type.getFields() : null;
  const isColumn = (name: string) => fields?.[name]?.extensions.pothosPrismaSelect === undefined;
  const isAlone =
    fields !== null &&
    (node.selectionSet?.selections ?? []).every(
      (selected) => selected.kind === Kind.FIELD && !selected.selectionSet && isColumn(selected.name.value),
    );
  decided.set(node, isAlone);
  return isAlone;
}
