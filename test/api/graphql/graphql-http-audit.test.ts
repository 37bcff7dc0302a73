import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApi, type TestApi } from '../../setup/api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('GraphQL over HTTP', () => {
  for (const audit of serverAudits({ url: () => `${api.url}/graphql`, fetchFn: fetch })) {
    test(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn();
      if (result.status !== 'ok') expect.soft({ level: result.status, reason: result.reason }).toEqual({ level: 'ok' });
    });
  }
});
