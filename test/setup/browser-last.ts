import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Browser tests run after all others: the installation that they share starts late, and burdens nobody but them. */
export class BrowserLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isBrowser = (file: TestSpecification) => file.moduleId.includes('/test/browser/');
    return [...sorted.filter((file) => !isBrowser(file)), ...sorted.filter(isBrowser)];
  }
}
