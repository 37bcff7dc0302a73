import { type SuiNode, startSuiNode } from '../../../src/local/sui/sui-node.ts';
import { onTeardown } from '../teardown.ts';

export type TestSui = Omit<SuiNode, 'stop'>;

/** Stopped when the test file ends. */
export async function openSui(): Promise<TestSui> {
  const node = await startSuiNode();
  onTeardown(node.stop);
  return node;
}
