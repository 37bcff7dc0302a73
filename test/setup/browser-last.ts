import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs browser tests after all others, so that the installation that they share does not slow down other tests. */
export class BrowserLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isBrowser = (file: TestSpecification) => file.moduleId.includes('/test/browser/');
    return [...sorted.filter((file) => !isBrowser(file)), ...sorted.filter(isBrowser)];
  }
}
