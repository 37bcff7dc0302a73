/** The schema of a response, which is derived field by field from the selection set of its document. */
import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type Components, type JsonSchema, leafSchema, nullable, reference, withExample } from './json-schema.ts';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** A selection that consists of a single fragment becomes a component named after it: `PaymentIntentFields` becomes PaymentIntent. */
export function selectionSchema(
  components: Components,
  fragments: Fragments,
  selected: { type: GraphQLOutputType; selections: SelectionSetNode | undefined },
): JsonSchema {
  const { type, selections } = selected;
  if (isNonNullType(type)) return present(components, fragments, { type: type.ofType, selections });
  return nullable(present(components, fragments, selected));
}

function present(
  components: Components,
  fragments: Fragments,
  { type, selections }: { type: GraphQLOutputType; selections: SelectionSetNode | undefined },
): JsonSchema {
  if (isNonNullType(type)) return present(components, fragments, { type: type.ofType, selections });
  if (isListType(type))
    return { type: 'array', items: selectionSchema(components, fragments, { type: type.ofType, selections }) };
  if (!selections) return leafSchema(components, type);
  if (!isObjectType(type)) {
    throw new TypeError(
      `${isInterfaceType(type) ? 'An interface' : 'A union'} has no REST shape: select an object type.`,
    );
  }
  const [only] = selections.selections;
  if (selections.selections.length === 1 && only?.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = fragmentOf(fragments, only.name.value);
    return reference(components, only.name.value.replace(/Fields$/, ''), () => ({
      ...(type.description ? { description: type.description } : {}),
      ...objectSchema(components, fragments, { type, selections: fragment.selectionSet }),
    }));
  }
  return objectSchema(components, fragments, { type, selections });
}

function objectSchema(
  components: Components,
  fragments: Fragments,
  { type, selections }: { type: GraphQLObjectType; selections: SelectionSetNode },
): JsonSchema {
  const properties = new Map<string, JsonSchema>();
  const add = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) add(fragmentOf(fragments, selection.name.value).selectionSet);
      else {
        const field = type.getFields()[selection.name.value];
        if (!field) throw new TypeError(`${type.name} has no field ${selection.name.value}.`);
        const schema = selectionSchema(components, fragments, { type: field.type, selections: selection.selectionSet });
        const name = selection.alias?.value ?? selection.name.value;
        const described = field.description ? { ...schema, description: field.description } : schema;
        properties.set(name, withExample(described, field.extensions));
      }
    }
  };
  add(selections);
  return { type: 'object', properties: Object.fromEntries(properties), required: [...properties.keys()] };
}

function fragmentOf(fragments: Fragments, name: string): FragmentDefinitionNode {
  const fragment = fragments.get(name);
  if (!fragment) throw new TypeError(`No fragment ${name}.`);
  return fragment;
}
