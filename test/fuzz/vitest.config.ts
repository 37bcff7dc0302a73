/** `npm run fuzz`: at least 20,000 requests; FUZZ_REQUESTS and FUZZ_SEED choose others. */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({ test: { ...test, include: ['test/fuzz/**/*.fuzz.ts'], testTimeout: 3_600_000, maxWorkers: 1 } }),
);
