/** Changes to schemas of GraphQL types where REST is more specific: omitted fields and unions. */
import { type RestUnion, type RestVariant, variantFields } from '../rest-union.ts';
import type { Components, JsonSchema } from './json-schema.ts';

/**
 * Makes the property at `path` optional and not nullable, because REST omits it instead of sending null. If the path leads through a
 * component, the component is changed.
 */
export function omitting(components: Components, schema: JsonSchema, path: string): JsonSchema {
  const names = path.split('.');
  const name = names.pop() ?? '';
  return changedAt(components, schema, names, (object) => {
    const properties = propertiesOf(components, object);
    const held = properties[name];
    if (!held) throw new TypeError(`${path} is left out, and not selected.`);
    const required = requiredOf(object).filter((one) => one !== name);
    return { ...object, properties: { ...properties, [name]: neverNull(held) }, required };
  });
}

/** Returns a `oneOf` with one schema per variant, discriminated by a constant. Throws if a value has no variant. */
export function asUnion(components: Components, schema: JsonSchema, union: RestUnion): JsonSchema {
  const dependent = variantFields(union);
  return changedAt(components, schema, union.at.split('.'), (object) => {
    const properties = propertiesOf(components, object);
    const lost = [union.by, ...dependent].filter((name) => !properties[name]);
    if (lost.length > 0) throw new TypeError(`${union.at} depends on ${lost.join(', ')}, which are not selected.`);
    const tag = resolved(components, properties[union.by] ?? {});
    requireVariants(union, tag);
    const variantOf = ({ is, has, present }: RestVariant): JsonSchema => {
      const fields = Object.entries(properties)
        .filter(([name]) => !dependent.has(name) || has.includes(name))
        .map(([name, held]) => [name, present.includes(name) ? neverNull(held) : held] as const);
      const constant = { type: tag.type, const: tag.type === 'boolean' ? is === 'true' : is };
      const described = properties[union.by]?.description;
      return {
        type: 'object',
        properties: {
          ...Object.fromEntries(fields),
          [union.by]: described === undefined ? constant : { ...constant, description: described },
        },
        required: requiredOf(object).filter((name) => !dependent.has(name) || has.includes(name)),
      };
    };
    const { description } = object;
    return { ...(description === undefined ? {} : { description }), oneOf: union.of.map(variantOf) };
  });
}

/** Returns the properties of an object's schema, or of the component that it references. */
export function propertiesOf(components: Components, schema: JsonSchema): Record<string, JsonSchema> {
  const { properties } = resolved(components, schema);
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}

function requireVariants(union: RestUnion, tag: JsonSchema): void {
  const values = tag.type === 'boolean' ? ['true', 'false'] : [tag.enum].flat().map(String);
  const named = union.of.map(({ is }) => is);
  const differing = [
    ...values.filter((value) => !named.includes(value)),
    ...named.filter((is) => !values.includes(is)),
  ];
  if (differing.length > 0) throw new TypeError(`The variants of ${union.at} do not fit ${differing.join(', ')}.`);
}

/** Applies `change` to the schema at a path, through arrays and components. */
function changedAt(
  components: Components,
  schema: JsonSchema,
  path: readonly string[],
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  if (typeof schema.$ref === 'string') {
    const target = resolved(components, schema);
    const changed = changedAt(components, { ...target }, path, change);
    for (const key of Object.keys(target)) delete target[key];
    Object.assign(target, changed);
    return schema;
  }
  if (isSchema(schema.items)) return { ...schema, items: changedAt(components, schema.items, path, change) };
  const [name, ...below] = path;
  if (name === undefined) return change(schema);
  const properties = propertiesOf(components, schema);
  const held = properties[name];
  if (!held) throw new TypeError(`${name} is not selected.`);
  return { ...schema, properties: { ...properties, [name]: changedAt(components, held, below, change) } };
}

function neverNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...rest, ...anyOf.find((one) => one.type !== 'null') };
  const [type] = [schema.type].flat().filter((one) => one !== 'null');
  return type === undefined ? schema : { ...schema, type };
}

function resolved(components: Components, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  return components.get(schema.$ref.split('/').at(-1) ?? '') ?? {};
}

function requiredOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.required) ? schema.required.map(String) : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
