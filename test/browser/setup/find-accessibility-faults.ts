import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { z } from 'zod';

export type AccessibilityFault = { rule: string; impact: string | null; help: string; where: string[] };

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const foundSchema = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullable(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/**
 * Waits for animations. axe does not see a dialog whose opening animation has not finished, and reports the elements behind it. Animations that
 * repeat forever never finish, and are left out.
 */
const settled = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished))`;

/**
 * All rules that axe enables by default: WCAG A and AA of all versions, and its best practices. GraphiQL's own elements are left out, because
 * they come from its package: its tabs contain buttons, and its editors have no labels.
 */
const run = `${settled}.then(() => axe.run({ exclude: ['.graphiql-container'] }, { resultTypes: ['violations'] })).then(({ violations }) => violations.map(({ id, impact, help, nodes }) =>
    ({ id, impact: impact ?? null, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`;

/**
 * The accessibility violations of the page in its current state, at every impact level. axe runs in an isolated world beside the page's
 * scripts, so the page's content security policy neither applies to it nor has to be relaxed. With `isInFrame`, checks the page inside the
 * only frame instead.
 */
export async function findAccessibilityFaults(page: Page, isInFrame = false): Promise<AccessibilityFault[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { frame } = (isInFrame ? frameTree.childFrames?.[0] : frameTree) ?? {};
    if (!frame) throw new Error('The page has no frame.');
    const frameId = frame.id;
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId });
    const evaluate = async (expression: string): Promise<unknown> => {
      const options = { expression, contextId, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    await evaluate(`${source}; undefined`);
    const found = foundSchema.parse(await evaluate(run));
    return found.map(({ id, impact, help, nodes }) => ({
      rule: id,
      impact,
      help,
      where: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
    }));
  } finally {
    await session.detach();
  }
}
