/** Every type of event: what the source appends, schema/events.json and the webhooks of the OpenAPI document are the same. */
import { globSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import published from '../../schema/events.json' with { type: 'json' };
import payments from '../../schema/openapi/payments.json' with { type: 'json' };
import { eventExample } from '../../src/api/events/event-examples.ts';
import { eventWords } from '../../src/api/events/event-words.ts';
import { type EventType, eventTypes, isEventType } from '../../src/events/event-type.ts';

type Schema = Record<string, unknown>;
type Webhook = {
  post: {
    description: string;
    requestBody: { content: { 'application/json': { schema: { $ref: string }; example: unknown } } };
  };
};

type Definition = { description: string; examples: unknown[]; properties: { data: { properties: Schema } } };

const definitions = published.$defs as unknown as Record<string, Definition>;
const webhooks = payments.webhooks as unknown as Record<string, Webhook>;
const docs = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');

/** Functions whose argument is the type of an event that is appended. */
const appending = new Set(['ofIntent', 'ofDispute', 'paymentEvent']);

/** The texts that an expression may be, of which a condition has two. */
function textsOf(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isConditionalExpression(expression)) {
    return [...textsOf(expression.whenTrue), ...textsOf(expression.whenFalse)];
  }
  return [];
}

/** Types in new events, which are objects with `type` and `data`, and in calls of the functions that make them. */
function appendedIn(file: string): EventType[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const named = (name: string) => node.properties.find((property) => property.name?.getText(source) === name);
      const type = named('type');
      if (named('data') && type && ts.isPropertyAssignment(type)) found.push(...textsOf(type.initializer));
    }
    if (ts.isCallExpression(node) && appending.has(node.expression.getText(source))) {
      for (const argument of node.arguments) found.push(...textsOf(argument));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter(isEventType);
}

const appended = new Set(
  globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url).pathname, exclude: ['src/api/**', 'src/local/**'] })
    .map((file) => new URL(`../../${file}`, import.meta.url).pathname)
    .flatMap(appendedIn),
);

const sorted = (names: Iterable<string>) => [...names].sort();

describe('the types of events', () => {
  it('are the ones that the source appends, in every published list', () => {
    expect(sorted(appended)).toEqual(sorted(eventTypes));
    expect(published.oneOf.map(({ $ref }) => $ref.replace('#/$defs/', ''))).toEqual([...eventTypes]);
    expect(Object.keys(webhooks)).toEqual([...eventTypes]);
  });

  it.each(eventTypes)('%s has the same description and valid example in each document', (type) => {
    const definition = definitions[type];
    const { description, requestBody } = webhooks[type]?.post ?? {};
    expect(eventWords[type]).toMatch(/^Sent .+\.$/);
    expect(definition?.description).toBe(eventWords[type]);
    expect(description).toBe(eventWords[type]);
    const example = JSON.parse(JSON.stringify(eventExample(type)));
    expect(definition?.examples).toEqual([example]);
    expect(requestBody?.content['application/json'].example).toEqual(example);
    expect(docs).toContain(`| \`${type}\``);
    expect(docs).toContain(eventWords[type].slice('Sent '.length, -1));
    const [inEvents, inWebhooks] = [validator(`events.json#/$defs/${type}`), validator(componentOf(type))];
    expect(inEvents(example), JSON.stringify(inEvents.errors)).toBe(true);
    expect(inWebhooks(example), JSON.stringify(inWebhooks.errors)).toBe(true);
  });

  it('have schemas that describe every field of their data', () => {
    for (const type of eventTypes) {
      const described = new Set(Object.keys(definitions[type]?.properties.data.properties ?? {}));
      const undescribed = Object.keys(eventExample(type).data as object).filter((field) => !described.has(field));
      expect([type, undescribed]).toEqual([type, []]);
    }
  });

  it('are distinguished by their schemas', () => {
    const other = { ...eventExample('invoice.paid'), type: 'invoice.voided' };
    expect(validator('events.json#/$defs/invoice.paid')(other)).toBe(false);
    expect(validator(componentOf('invoice.paid'))(other)).toBe(false);
  });
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...published, $id: 'events.json' });
ajv.addSchema({ ...payments, $id: 'payments.json' });

function validator(reference: string) {
  return ajv.compile({ $ref: reference });
}

function componentOf(type: EventType): string {
  return `payments.json${webhooks[type]?.post.requestBody.content['application/json'].schema.$ref}`;
}
