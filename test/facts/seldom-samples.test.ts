/** The file that is loaded before Ponder: samples of the event loop's delay every millisecond become samples every 100 ms. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { indexerFolder } from '../../src/facts/ponder/ponder-settings.ts';

/** Counts the samples of a second, which the metrics library asks for as it does here. */
const counting = `
  const hooks = require('node:perf_hooks');
  const samples = hooks.monitorEventLoopDelay({ resolution: 1 });
  samples.enable();
  setTimeout(() => console.log(samples.count), 1_000);
`;

async function samplesOf(flags: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', counting]);
  return Number(stdout);
}

it('samples the event loop at most every 100 ms', async () => {
  const plain = await samplesOf([]);
  const seldom = await samplesOf(['--import', join(indexerFolder, 'sample-event-loop-seldom.ts')]);
  expect(plain).toBeGreaterThan(0);
  expect(seldom).toBeGreaterThan(0);
  expect(seldom).toBeLessThanOrEqual(20);
});
