/** A reporter of Vitest for `npm run check`: after the run it prints the files that took the longest. */
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const FILES_PRINTED = 20;

export default class SlowestFiles implements Reporter {
  #root = '';

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({ path: relative(this.#root, module.moduleId), ms: durationMs(module) }));
    files.sort((left, right) => right.ms - left.ms);
    console.log(`\nThe slowest ${Math.min(FILES_PRINTED, files.length)} of ${files.length} files:`);
    for (const { path, ms } of files.slice(0, FILES_PRINTED))
      console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${path}`);
  }
}

/** Imports, hooks and tests. The JSON report has the time of the tests alone, and most of the time is often that of a hook. */
function durationMs(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration;
}
