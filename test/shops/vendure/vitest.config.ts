/** `npm run shops:vendure`: the plugin of packages/vendure in a Vendure server, whose dependencies are installed under shops. */
import { defineConfig, mergeConfig } from 'vitest/config';
import { base } from '../../../vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({
    test: {
      ...test,
      globalSetup: ['test/setup/global-setup.ts', 'test/shops/vendure/install-plugin.ts'],
      include: ['test/shops/vendure/*.shop.ts'],
      testTimeout: 240_000,
      maxWorkers: 1,
    },
  }),
);
