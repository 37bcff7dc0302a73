import { expect, test } from 'vitest';
import { openRestApi } from '../setup/api/rest.ts';
import { expectConsistentRows, fuzzGraphql, fuzzRest } from './fuzz-api.ts';

const requests = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const api = await openRestApi();

test(`REST and GraphQL handle ${requests} unusual requests without a fault (FUZZ_SEED=${seed})`, async () => {
  const statuses = await fuzzRest(api, { requests: Math.ceil(requests * 0.6), seed });
  const codes = await fuzzGraphql(api, { requests: Math.ceil(requests * 0.4), seed });
  console.log('REST statuses', Object.fromEntries([...statuses].sort()), '\nGraphQL codes', Object.fromEntries(codes));
  expect(statuses.get(200) ?? 0).toBeGreaterThan(0);
  await expectConsistentRows(api);
});
