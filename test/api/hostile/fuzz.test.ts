/** A small run of `npm run fuzz` with a fixed seed. */
import { expect, test } from 'vitest';
import { expectConsistentRows, fuzzGraphql, fuzzRest } from '../../fuzz/fuzz-api.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();

test('random requests to every REST route and GraphQL field cause no bugs and no partial writes', async () => {
  const statuses = await fuzzRest(api, { requests: 320, seed: 20260301 });
  const codes = await fuzzGraphql(api, { requests: 240, seed: 20260301 });
  expect(statuses.get(200)).toBeGreaterThan(0);
  expect(codes.get('OK')).toBeGreaterThan(0);
  await expectConsistentRows(api);
});
