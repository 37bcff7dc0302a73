import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BrowserLast } from './test/setup/browser-last.ts';
import { ownProcess } from './test/setup/own-process.ts';

/** What the configurations of other runs share with that of the tests. */
export const base = {
  resolve: {
    // Vite would take graphql's other module format than Node does, and two copies refuse each other's types.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql/index.js')) }],
  },
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['test/setup/teardown-hook.ts'],
    // Workers and the parts that tests start load the modules that earlier processes compiled.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('generated/compiled', import.meta.url)) },
    pool: 'forks',
    // Many tests wait for a clock, a block or a process, so that two processors have time for four workers.
    maxWorkers: 4,
    sequence: { sequencer: BrowserLast },
    testTimeout: 60_000,
    // A whole installation starts in a hook, beside the tests of another file.
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
  },
} satisfies ViteUserConfig;

// A project adds its patterns to those of the root.
const { include, ...shared } = base.test;

export default defineConfig({
  ...base,
  test: {
    ...shared,
    projects: [
      // Files run one after the other in a process, and share its modules and what V8 has compiled of them.
      { extends: true, test: { name: 'shared', isolate: false, include, exclude: ownProcess } },
      { extends: true, test: { name: 'alone', include: ownProcess } },
    ],
  },
});
