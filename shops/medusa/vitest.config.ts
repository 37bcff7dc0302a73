/** The tests against a real Medusa server; see check.ts, which installs it. They are not part of `npm test`. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({ test: { ...test, include: ['shops/medusa/test/*.test.ts'], testTimeout: 240_000, maxWorkers: 1 } }),
);
