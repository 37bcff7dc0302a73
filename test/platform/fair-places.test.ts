import { expect, test } from 'vitest';
import { openFairPlaces } from '../../src/platform/limits/fair-places.ts';

const full = new Error('full');
const open = (places: number, waitMs = 60_000) => openFairPlaces({ places, waitMs, refuse: () => full });

/** Work that is started under a name and blocks until the test ends it. */
function standing(places: ReturnType<typeof open>) {
  const begun: string[] = [];
  const work = (name: string) => {
    const ended = Promise.withResolvers<void>();
    const names = name.split(' ');
    const done = places.run(names.length === 1 ? name : names, async () => {
      begun.push(name);
      await ended.promise;
    });
    return { done, end: () => ended.resolve() };
  };
  return { begun, work };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one blocked caller leaves places for others, and so does the next one', async () => {
  const { begun, work } = standing(open(5));
  const all = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(work);
  await settled();
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'c']);
  for (const one of all) one.end();
  await Promise.all(all.map(({ done }) => done));
  expect(begun).toHaveLength(all.length);
});

test('a place that two names hold counts for both', async () => {
  const { begun, work } = standing(open(4));
  const all = ['a home', 'b home', 'c home', 'd far', 'a far'].map(work);
  await settled();
  // Of the two remaining places "home" may not take another, and "a" may not take the last one.
  expect(begun).toEqual(['a home', 'b home', 'd far']);
  for (const one of all) one.end();
  await Promise.all(all.map(({ done }) => done));
  expect(begun).toHaveLength(all.length);
});

test('a waiting caller receives the next place that it is allowed to have, ahead of callers that are not', async () => {
  const { begun, work } = standing(open(2));
  const [first, other, second, third] = [work('a'), work('b'), work('a'), work('c')];
  await settled();
  expect(begun).toEqual(['a', 'b']);
  // The place is free now, but "a" may not take a second one.
  other.end();
  await other.done;
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
  first.end();
  await first.done;
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'a']);
  for (const one of [second, third]) one.end();
  await Promise.all([second.done, third.done]);
});

test('a caller that has waited too long is rejected, and takes no place later', async () => {
  const places = open(1, 50);
  const { work, begun } = standing(places);
  const first = work('a');
  await expect(places.run('b', async () => 'never')).rejects.toBe(full);
  first.end();
  await first.done;
  expect(await places.run('b', async () => 'now')).toBe('now');
  expect(begun).toEqual(['a']);
});

test('failed work releases its place', async () => {
  const places = open(1);
  await expect(places.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await places.run('a', async () => 'works')).toBe('works');
});
