/**
 * The language of the schema's descriptions, which are the manual of the API: words and shapes that CONTRIBUTING.md asks writers to avoid.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '..', 'schema', 'schema.graphql'), 'utf8'));

const avoided: { shape: RegExp; instead: string }[] = [
  { shape: /\b(told|tells?|telling)\b/i, instead: 'return, report, send, show' },
  { shape: /\bwhom\b/i, instead: 'name the party' },
  { shape: /\b(bell|rung|rings?)\b/i, instead: 'notify, wake' },
  { shape: /\b(last|first) first\b/i, instead: 'newest first, oldest first' },
  { shape: /^(what|who|which|how|where|when|why)( it is)?\.$/i, instead: 'a noun: current status, the recipient' },
  { shape: /\btries (are|is) spent\b/i, instead: 'all retries failed' },
];

it('descriptions avoid metaphors and fragments', () => {
  const found = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => descriptionsOf(type))
    .flatMap(({ place, text }) =>
      avoided.filter(({ shape }) => shape.test(text)).map(({ instead }) => `${place}: "${text}" (instead: ${instead})`),
    );
  expect(found).toEqual([]);
});

it('every type, field, argument and value has a description', () => {
  const missing = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .filter(({ name }) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name))
    .flatMap((type) => descriptionsOf(type))
    .filter(({ text }) => text.trim() === '')
    .map(({ place }) => place);
  expect(missing).toEqual([]);
});

type Described = { place: string; text: string };

function descriptionsOf(type: GraphQLNamedType): Described[] {
  const own = [{ place: type.name, text: type.description ?? '' }];
  if (isEnumType(type)) return [...own, ...type.getValues().map((value) => described(type.name, value))];
  if (isInputObjectType(type)) {
    return [...own, ...Object.values(type.getFields()).map((field) => described(type.name, field))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return own;
  const fields = Object.values(type.getFields()).flatMap((field) => [
    described(type.name, field),
    ...field.args.map((argument) => described(`${type.name}.${field.name}`, argument)),
  ]);
  return [...own, ...fields];
}

function described(parent: string, part: { name: string; description?: string | null | undefined }): Described {
  return { place: `${parent}.${part.name}`, text: part.description ?? '' };
}
