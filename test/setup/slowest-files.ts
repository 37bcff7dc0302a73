/** A Vitest reporter for `npm run check` that prints the slowest files after the run. */
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

/** Includes imports, hooks and tests. The JSON report includes only the tests, although a hook often takes most of the time. */
function durationMs(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration;
}
