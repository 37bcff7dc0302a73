/** `npm run pictures`: walks through the pages, and copies those of docs/pages.md to docs/pictures. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { base } from '../../../vitest.config.ts';

const { test, ...rest } = base;
const { TEST_PICTURES = '.local/pictures' } = process.env;

export default mergeConfig(
  rest,
  defineConfig({
    test: {
      ...test,
      include: ['test/browser/pictures/*.walk.ts'],
      env: { ...test.env, TEST_PICTURES },
      testTimeout: 1_200_000,
      maxWorkers: 1,
    },
  }),
);
