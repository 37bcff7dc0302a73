import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Browser tests that take more than a minute, most of it waiting. They start first, because one that starts last runs alone at the end. */
const longest = ['/phone/pairing.', '/payer/renewal-approval.', '/browser/mails.', '/accessibility/dashboard-walk.'];

/** Runs browser tests after all others, so that the installation that they share does not slow down other tests. */
export class BrowserLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isBrowser = ({ moduleId }: TestSpecification) => moduleId.includes('/test/browser/');
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.includes(name));
    const browser = sorted.filter(isBrowser);
    return [
      ...sorted.filter((file) => !isBrowser(file)),
      ...browser.filter(isLong),
      ...browser.filter((file) => !isLong(file)),
    ];
  }
}
