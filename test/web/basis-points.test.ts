import { expect, test } from 'vitest';
import { basisPointsOf } from '../../web/src/ui/formats/basis-points.ts';

test.each([
  ['0', 0],
  ['33.33', 3_333],
  ['33,3', 3_330],
  [' 50 ', 5_000],
  ['0.01', 1],
  ['100', 10_000],
  ['100.00', 10_000],
  ['100.01', undefined],
  ['33.333', undefined],
  ['-1', undefined],
  ['1e2', undefined],
  ['', undefined],
  ['.5', undefined],
  ['999', undefined],
])('%j percent equals %s basis points', (percent, bps) => {
  expect(basisPointsOf(percent)).toBe(bps);
});
