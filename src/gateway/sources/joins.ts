/**
 * Joins: fields on the core's types that are resolved from a source, as `additionalTypeDefs` declares them. `@resolveTo` takes the same
 * arguments as in Mesh: either `sourceArgs` with one value `{root.<path>}`, or `keyField`, `keysArg` and `valueKeyField`, which request all
 * rows of a page together. A path begins with a field of the row and may continue into its JSON. Any other argument of the source's field
 * may be `{root.appId}`, which lets a source check whose rows are requested.
 */
import {
  type DirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isSpecifiedScalarType,
  Kind,
  parse,
  print,
  valueFromASTUntyped,
} from 'graphql';
import { z } from 'zod';
import type { LoadedSource } from './load-source.ts';

/** As the value of a constant: the id of the row's app. */
export const APP_ID = Symbol('the id of the row’s app');
const APP_TEMPLATE = '{root.appId}';

export type Join = {
  typeName: string;
  fieldName: string;
  description: string | undefined;
  /** The field's type in the published schema, as SDL. */
  type: string;
  isList: boolean;
  source: LoadedSource;
  /** The field of the source's Query. */
  sourceField: string;
  /** The row's field, then keys of its JSON. */
  keyPath: readonly [string, ...string[]];
  /** The argument that takes the key, or all keys. */
  keyArgument: { name: string; type: string };
  /** Converts the key to the argument's type. Undefined for a key that the type does not accept, for example because of its length. */
  keyValue(key: string): string | number | undefined;
  /** Other arguments, the same for every row of an app: a value of the configuration, or APP_ID. */
  constants: Readonly<Record<string, { type: string; value: unknown }>>;
  /** Path of fields from the source's result to the value. */
  result: readonly string[];
  /** The field of each value that contains its key. If it is set, the source takes many keys in one call. */
  valueKeyField: string | null;
};

const fieldPath = z
  .string()
  .regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,4}$/, 'a path of up to five names')
  .transform((path) => path.split('.') as [string, ...string[]]);
const argumentValues = z.record(z.string(), z.unknown());
const directiveShape = z.strictObject({
  sourceName: z.string(),
  sourceTypeName: z.literal('Query'),
  sourceFieldName: z.string(),
  sourceArgs: argumentValues.optional(),
  keyField: fieldPath.optional(),
  keysArg: z.string().optional(),
  valueKeyField: z.string().optional(),
  additionalArgs: argumentValues.optional(),
  result: fieldPath.optional(),
  /** Mesh needs it. Here the whole row is available. */
  requiredSelectionSet: z.string().optional(),
});
type Directive = z.infer<typeof directiveShape>;

type World = { core: GraphQLSchema; sources: ReadonlyMap<string, LoadedSource | null> };

/** `sources` are keyed by name. The value is null for a source whose own fault was already reported. */
export function parseJoins(world: World, typeDefs: string): { joins: Join[]; faults: string[] } {
  const faults: string[] = [];
  const joins: Join[] = [];
  const seen = new Set<string>();
  for (const definition of definitionsOf(typeDefs, faults)) {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION) {
      faults.push(`additionalTypeDefs: only "extend type", not ${print(definition).split('\n')[0]}`);
      continue;
    }
    const type = world.core.getType(definition.name.value);
    if (!isObjectType(type) || !type.getFields().appId || isRoot(world.core, type)) {
      const known = joinable(world.core).join(', ');
      const words = `\`${definition.name.value}\` cannot be extended because it has no \`appId\` field`;
      faults.push(`additionalTypeDefs: ${words}. Types that can be extended: ${known}`);
      continue;
    }
    for (const field of definition.fields ?? []) {
      const path = `additionalTypeDefs.${type.name}.${field.name.value}`;
      if (type.getFields()[field.name.value] || seen.has(path)) faults.push(`${path}: the field already exists`);
      seen.add(path);
      const join = joinOf(world, { type, field, fault: (words) => faults.push(`${path}: ${words}`) });
      if (join) joins.push(join);
    }
  }
  return { joins, faults };
}

function definitionsOf(typeDefs: string, faults: string[]) {
  if (typeDefs.trim() === '') return [];
  try {
    return parse(typeDefs, { maxTokens: 5_000 }).definitions;
  } catch (error) {
    faults.push(`additionalTypeDefs: ${error instanceof Error ? error.message : 'not readable'}`);
    return [];
  }
}

type FieldCheck = { type: GraphQLObjectType; field: FieldDefinitionNode; fault: (words: string) => void };

function joinOf({ sources }: World, check: FieldCheck): Join | undefined {
  const { type, field, fault } = check;
  if ((field.arguments ?? []).length > 0) fault('takes no arguments: nothing that a caller writes is sent to a source');
  if (field.type.kind === Kind.NON_NULL_TYPE) fault('must be nullable, for the source may be away');
  const [directive, ...others] = field.directives ?? [];
  if (directive?.name.value !== 'resolveTo' || others.length > 0)
    return void fault('must have the @resolveTo directive and no other');
  const parsed = directiveShape.safeParse(argumentsOf(directive));
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      fault(['@resolveTo', ...issue.path].join('.').concat(`: ${issue.message}`));
    return undefined;
  }
  const given = parsed.data;
  const source = sources.get(given.sourceName);
  if (source === undefined) fault(`there is no source ${given.sourceName}`);
  const key = keyOf(given, fault);
  if (key && !isReadable(type, key.keyPath)) {
    fault(`${key.keyPath.join('.')} is no field of ${type.name} with one value, nor in its JSON`);
  }
  const sourceField = source?.schema.getQueryType()?.getFields()[given.sourceFieldName];
  if (source && !sourceField) fault(`${given.sourceName} has no query ${given.sourceFieldName}`);
  if (!source || !sourceField || !key) return undefined;
  const keyArgument = sourceField.args.find(({ name }) => name === key.argument);
  if (!keyArgument) return void fault(`${sourceField.name} has no argument ${key.argument}`);
  const keyType = getNamedType(keyArgument.type);
  if (!isLeafType(keyType)) return void fault(`the argument ${key.argument} is of type ${keyArgument.type}, no key`);
  if (isListType(getNullableType(keyArgument.type)) !== key.isMany) {
    fault(`the argument ${key.argument} is of type ${keyArgument.type}: ${key.isMany ? 'no list' : 'use keysArg'}`);
  }
  const found = valueType(sourceField.type, given.result ?? []);
  if (typeof found === 'string') return void fault(found);
  const isList = field.type.kind === Kind.LIST_TYPE;
  checkTypes({ source, field, found, isMany: key.isMany, valueKeyField: given.valueKeyField }, fault);
  return {
    typeName: type.name,
    fieldName: field.name.value,
    description: field.description?.value,
    type: print(field.type),
    isList,
    source,
    sourceField: sourceField.name,
    keyPath: key.keyPath,
    keyArgument: { name: keyArgument.name, type: String(keyArgument.type) },
    keyValue: (text) => keyValue(keyType, text),
    constants: constantsOf(
      sourceField,
      [...Object.entries(key.constants), ...Object.entries(given.additionalArgs ?? {})],
      { key: key.argument, fault },
    ),
    result: given.result ?? [],
    valueKeyField: key.isMany ? (given.valueKeyField ?? null) : null,
  };
}

function argumentsOf(directive: DirectiveNode): Record<string, unknown> {
  return Object.fromEntries(
    (directive.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]),
  );
}

type Key = {
  argument: string;
  keyPath: [string, ...string[]];
  isMany: boolean;
  constants: Record<string, unknown>;
};

function keyOf(given: Directive, fault: FieldCheck['fault']): Key | undefined {
  if (given.keysArg !== undefined || given.keyField !== undefined) {
    if (given.keysArg === undefined || given.keyField === undefined || given.valueKeyField === undefined) {
      return void fault('keyField, keysArg and valueKeyField belong together');
    }
    if (given.sourceArgs) fault('takes either sourceArgs or keysArg');
    return { argument: given.keysArg, keyPath: given.keyField, isMany: true, constants: {} };
  }
  const entries = Object.entries(given.sourceArgs ?? {});
  const templates = entries.filter(([, value]) => isTemplate(value));
  const ofRow = templates.filter(([, value]) => value !== APP_TEMPLATE);
  // If the row has no other key, the app id is the key.
  const [template, ...others] = ofRow.length > 0 ? ofRow : templates;
  const path = fieldPath.safeParse(/^\{root\.([^{}]+)\}$/.exec(String(template?.[1]))?.[1]);
  if (!template || others.length > 0 || !path.success) {
    return void fault('sourceArgs needs exactly one value like "{root.externalId}", or use keyField and keysArg');
  }
  const constants = Object.fromEntries(entries.filter(([name]) => name !== template[0]));
  return { argument: template[0], keyPath: path.data, isMany: false, constants };
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && /[{}]/.test(value);
}

function isReadable(type: GraphQLObjectType, [first, ...rest]: readonly [string, ...string[]]): boolean {
  const field = type.getFields()[first];
  const made = field && getNullableType(field.type);
  if (!field || !made || field.args.some(isRequiredArgument) || !isLeafType(made)) return false;
  return rest.length === 0 || made.name === 'JSONObject' || made.name === 'JSON';
}

/** Returns the type at the end of `path`, or an error message. */
function valueType(from: GraphQLOutputType, path: readonly string[]): GraphQLOutputType | string {
  let type = from;
  for (const step of path) {
    const made = getNullableType(type);
    const next = isObjectType(made) ? made.getFields()[step] : undefined;
    if (!next || next.args.some(isRequiredArgument)) return `result: ${made} has no field ${step}`;
    type = next.type;
  }
  return type;
}

/** Keys are text, but a numeric argument does not accept text. */
function keyValue(type: GraphQLLeafType, key: string): string | number | undefined {
  return [key, ...(/^\d{1,15}$/.test(key) ? [Number(key)] : [])].find((candidate) => {
    try {
      return type.parseValue(candidate) != null;
    } catch {
      return false;
    }
  });
}

type Types = {
  source: LoadedSource;
  field: FieldDefinitionNode;
  found: GraphQLOutputType;
  isMany: boolean;
  valueKeyField: string | undefined;
};

function checkTypes({ source, field, found, isMany, valueKeyField }: Types, fault: FieldCheck['fault']): void {
  const made = getNullableType(found);
  const element = isListType(made) ? getNullableType(made.ofType) : made;
  if (isListType(element)) fault('a list of lists cannot be joined');
  if (isMany && !isListType(made)) fault(`with keysArg the source must answer a list, not ${made}`);
  if (isMany) {
    const keyed = isObjectType(element) ? element.getFields()[valueKeyField ?? ''] : undefined;
    if (!keyed || !isLeafType(getNullableType(keyed.type))) fault(`valueKeyField: ${element} has no such plain field`);
  }
  const isList = field.type.kind === Kind.LIST_TYPE;
  const named = getNamedType(element);
  const expected = isSpecifiedScalarType(named) ? named.name : `${source.settings.prefix}${named.name}`;
  const declared = print(field.type).replace(/!/g, '');
  const wanted = isMany ? [expected, `[${expected}]`] : [isListType(made) ? `[${expected}]` : expected];
  if (!wanted.includes(declared)) fault(`is of type ${declared}, but the source answers ${wanted.join(' or ')}`);
  if (isList && isSpecifiedScalarType(named) && isMany) fault('with keysArg the values must be objects');
}

const SOME_APP = '00000000-0000-7000-8000-000000000000';

function constantsOf(
  sourceField: GraphQLField<unknown, unknown>,
  given: readonly (readonly [string, unknown])[],
  { key, fault }: { key: string; fault: FieldCheck['fault'] },
): Join['constants'] {
  const constants: Record<string, { type: string; value: unknown }> = {};
  for (const [name, value] of given) {
    const argument = sourceField.args.find((one) => one.name === name);
    if (!argument) fault(`${sourceField.name} has no argument ${name}`);
    else if (name === key || constants[name]) fault(`the argument ${name} is given twice`);
    else if (value === APP_TEMPLATE) {
      const type = getNullableType(argument.type);
      if (!isLeafType(type) || keyValue(type, SOME_APP) !== SOME_APP) {
        fault(`the argument ${name} is of type ${argument.type}, which does not take the id of an app`);
      }
      constants[name] = { type: String(argument.type), value: APP_ID };
    } else if (isTemplate(value)) fault(`the argument ${name}: only ${APP_TEMPLATE} may stand beside the key`);
    else constants[name] = { type: String(argument.type), value };
  }
  for (const { name } of sourceField.args.filter(isRequiredArgument)) {
    if (name !== key && constants[name] === undefined) fault(`${sourceField.name} needs the argument ${name}`);
  }
  return constants;
}

function isRoot(core: GraphQLSchema, type: GraphQLObjectType): boolean {
  return [core.getQueryType(), core.getMutationType(), core.getSubscriptionType()].includes(type);
}

function joinable(core: GraphQLSchema): string[] {
  return Object.values(core.getTypeMap()).flatMap((type) =>
    isObjectType(type) && type.getFields().appId && !isRoot(core, type) ? [type.name] : [],
  );
}
