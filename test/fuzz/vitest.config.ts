/** `npm run fuzz`: 20,000 unusual requests and 10,000 hostile inputs. See run-fuzz.ts. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({ test: { ...test, include: ['test/fuzz/**/*.fuzz.ts'], testTimeout: 3_600_000, maxWorkers: 1 } }),
);
