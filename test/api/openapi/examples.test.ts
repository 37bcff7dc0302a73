/** Every example and every default of the published OpenAPI documents is valid in its schema. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';

type Sample = { place: string; schema: string; value: unknown };

const files = ['payments.json', 'card.json'];

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../../schema/openapi/${file}`, import.meta.url), 'utf8'));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keywords whose values are instances and not schemas. */
const instances = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** The samples at and below a place; names of properties are not keywords. */
function samplesOf(node: unknown, place: string, isMap = false): Sample[] {
  if (Array.isArray(node)) return node.flatMap((held, index) => samplesOf(held, `${place}/${index}`));
  if (!isRecord(node)) return [];
  const below = Object.entries(node)
    .filter(([name]) => isMap || !instances.has(name))
    .flatMap(([name, held]) => samplesOf(held, `${place}/${step(name)}`, name === 'properties' && !isMap));
  return isMap ? below : [...ownSamples(node, place), ...below];
}

function ownSamples(node: Record<string, unknown>, place: string): Sample[] {
  const samples: Sample[] = [];
  const beside = 'schema' in node ? `${place}/schema` : place;
  if ('example' in node) samples.push({ place: `${place}/example`, schema: beside, value: node.example });
  if ('default' in node) samples.push({ place: `${place}/default`, schema: place, value: node.default });
  // A list in a schema; named objects with a value beside one.
  for (const [name, held] of Object.entries(node.examples ?? {})) {
    const value = 'schema' in node && isRecord(held) ? held.value : held;
    samples.push({ place: `${place}/examples/${step(name)}`, schema: beside, value });
  }
  return samples;
}

function step(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

describe.each(files)('%s', (file) => {
  const document = read(file);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: file });
  const samples = samplesOf(document, '');

  it('has an example of every body', () => {
    const bodies = Object.values(Object(document.paths))
      .flatMap((methods) => Object.values(Object(methods)))
      .flatMap((operation) => [Object(operation).requestBody, ...Object.values(Object(Object(operation).responses))])
      .flatMap((held) => Object.entries(Object(Object(held).content)))
      .filter(([type]) => type === 'application/json');
    expect(bodies.length).toBeGreaterThan(10);
    for (const [, body] of bodies) expect(Object.keys(Object(body))).toContain('example');
  });

  it('has only examples and defaults that match their schemas', () => {
    expect(samples.length).toBeGreaterThan(50);
    const faults = samples.flatMap(({ place, schema, value }) => {
      const validate = ajv.compile({ $ref: `${file}#${schema}` });
      return validate(value) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(faults).toEqual([]);
  });
});
