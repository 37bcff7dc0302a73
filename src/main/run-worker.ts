import type { Config } from '../config.ts';
import { runWebhooks } from '../events/webhooks/run-webhooks.ts';
import { runSending } from '../operator/run-sending.ts';
import { sweepPayments } from '../payments/actions/sweep-payments.ts';
import { openAdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Log } from '../platform/log.ts';
import { purgeIdempotency } from '../platform/purge-idempotency.ts';
import { runQueue } from '../platform/queue.ts';
import { jobTable } from './job-table.ts';
import { openPumps } from './open-sending.ts';
import { openFloor, openSigners, type RunningPart } from './open-world.ts';

const SWEEP_MS = 10_000;
const PURGE_MS = 3_600_000;

/** Jobs, the pumps of our keys, webhooks, and what is done by the clock. As many of these run as are wanted. */
export async function runWorker(config: Config): Promise<RunningPart> {
  const floor = openFloor(config, 'worker');
  const { log, database } = floor;
  const world = { ...floor, ...openSigners(config) };
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log });
  const sending = runSending(world, { turn: openPumps({ ...world, locks }) });
  const webhooks = runWebhooks({ ...floor, privateAddresses: config.webhooks.privateAddresses });
  const stopSweep = repeat(() => sweepPayments(world), { everyMs: SWEEP_MS, log });
  const stopPurge = repeat(() => purgeIdempotency(floor), { everyMs: PURGE_MS, log });
  const queue = await runQueue({ url: config.database.directUrl, jobs: jobTable(world, sending), log });
  log.info({ operator: world.operator.address }, 'The worker works.');
  return {
    async stop() {
      await Promise.all([stopSweep(), stopPurge(), queue.stop(), webhooks.stop()]);
      await sending.stop();
      await locks.close();
      await database.$disconnect();
    },
  };
}

/** Runs `work` now and then, never twice at once, until stopped; a failure is logged and tried at the next turn. */
function repeat(work: () => Promise<unknown>, options: { everyMs: number; log: Log }): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = async () => {
    await work().catch((error: unknown) => options.log.warn({ error }, 'Work by the clock failed; it is tried again.'));
    if (stopped) return;
    timer = setTimeout(() => {
      running = turn();
    }, options.everyMs);
  };
  let running = turn();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
