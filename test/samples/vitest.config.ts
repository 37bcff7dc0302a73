/** `npm run samples`: the examples, and the samples of the documentation, against one installation as `npm start` runs it. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({
    // The installation has its own Postgres.
    test: { ...test, globalSetup: [], include: ['test/samples/*.walk.ts'], testTimeout: 240_000, maxWorkers: 1 },
  }),
);
