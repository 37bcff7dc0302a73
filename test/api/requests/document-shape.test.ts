import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { shapeOf } from '../../../src/api/graphql/requests/document-shape.ts';

const shape = (text: string) => shapeOf(parse(text), { fieldsLimit: 400 });
const repeat = (count: number, print: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => print(index)).join(' ');

test('counts every selected field and alias, and the depth of selections', () => {
  expect(shape('{ a { b c { d } } e: a { b } }')).toMatchObject({ operations: 1, fields: 6, depth: 3, merges: 0 });
});

test('counts a fragment at every spread, without additional depth', () => {
  const text = '{ a { ...f } b { ...f } } fragment f on T { c d { e } }';
  expect(shape(text)).toMatchObject({ fragments: 1, fields: 8, depth: 3 });
});

test('counts the largest operation, and the variables of all operations', () => {
  const text = 'query one($a: ID) { a } query two($b: ID, $c: ID) { a { b } }';
  expect(shape(text)).toMatchObject({ operations: 2, variables: 3, fields: 2, depth: 2 });
});

test('counts introspection as fields and not as depth', () => {
  const text = '{ __schema { types { fields { type { ofType { ofType { name } } } } } } }';
  expect(shape(text)).toMatchObject({ fields: 7, depth: 1 });
});

test('counts fragments that double forty times without expanding them', () => {
  const bomb = `{ ...f0 } ${repeat(40, (n) => `fragment f${n} on T { ...f${n + 1} x { ...f${n + 1} } }`)} fragment f40 on T { a }`;
  expect(shape(bomb).fields).toBeGreaterThan(2 ** 40);
});

describe('overlapping selections', () => {
  test('are counted in pairs at each path of the response', () => {
    expect(shape(`{ ${repeat(5, () => 'a { b }')} }`).merges).toBe(10 + 10);
  });

  test('are counted through fragments, including the overlaps within them', () => {
    const text = '{ a { b } ...f ...g } fragment f on T { a { b } } fragment g on T { c }';
    expect(shape(text).merges).toBe(1 + 1 + 1);
  });

  test('are not counted in a cycle of fragments, which validation refuses', () => {
    const text = '{ ...f } fragment f on T { a { ...g } } fragment g on T { a { ...f } b { ...f } }';
    expect(shape(text)).toMatchObject({ merges: 0, depth: 2 });
  });
});
