/** The samples run in `npm run samples`. That their rules still fit the pages is checked with every other test. */
import { expect, test } from 'vitest';
import { readBlocks, readPages } from './read-blocks.ts';
import { sampleRules } from './sample-rules.ts';

test('every rule names a block of the documentation', () => {
  const names = new Set(readPages().flatMap((page) => readBlocks(page).map(({ name }) => name)));
  expect(Object.keys(sampleRules).filter((name) => !names.has(name))).toEqual([]);
});
