/** Jobs that are added again while they run, that are removed, and that have used all attempts. */
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Database, transaction } from '../../prisma/client.ts';
import { mailInvitationJob } from '../../src/auth/members/jobs.ts';
import { mailPasswordJob } from '../../src/auth/one-time-password/jobs.ts';
import { expireCheckoutSessionJob } from '../../src/checkout/jobs.ts';
import { refreshWalletJob } from '../../src/customers/jobs.ts';
import { sendMailsJob, summarizeMailsJob } from '../../src/events/mails/jobs.ts';
import { reactJob, reactToEventJob } from '../../src/events/react-job.ts';
import { mailInvoiceJob, overdueInvoiceJob } from '../../src/invoices/jobs.ts';
import { jobTable, type WorkWorld } from '../../src/main/job-table.ts';
import { readQueue } from '../../src/operations/health/vital-signs.ts';
import { sendTransactionsJob } from '../../src/operator/jobs.ts';
import { warnOfDeadlineJob } from '../../src/payments/disputes/jobs.ts';
import {
  actOnDepositJob,
  deliverPayoutsJob,
  expireJob,
  reclaimJob,
  resolveByTimeoutJob,
  returnPaymentJob,
  settleJob,
} from '../../src/payments/jobs.ts';
import { newId } from '../../src/platform/identifier.ts';
import { addJob, defineJob, type JobDefinition, keysAtWork, removeJob } from '../../src/platform/jobs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type JobTable, jobEntry, type QueueTiming, runQueue } from '../../src/platform/queue.ts';
import { forecastRenewalJob, renewSubscriptionJob } from '../../src/subscriptions/jobs.ts';
import { freshDatabase } from '../setup/database/database.ts';

const quick: QueueTiming = { beatMs: 50, silentMs: 60_000, sweepMs: 50, stopMs: 2_000, retryMs: 200 };

let database: Database;
let url: string;
beforeAll(async () => {
  ({ database, url } = await freshDatabase());
});
beforeEach(async () => {
  await database.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
});

const add = <Payload>(job: JobDefinition<Payload>, payload: Payload, key?: string) =>
  transaction(database, (tx) => addJob(tx, job, payload, key === undefined ? {} : { key }));
const run = async (jobs: JobTable) => {
  const queue = await runQueue({ url, jobs, log: silentLog, timing: quick });
  onTestFinished(() => queue.stop(), 30_000);
};
const rows = () =>
  database.$queryRaw<{ id: string; key: string | null; attempts: number; state: string }[]>`
    SELECT id::text, key, attempts, CASE WHEN locked_at IS NULL THEN 'waits' ELSE 'runs' END AS state
    FROM graphile_worker.jobs job ORDER BY job.id`;
const until = (met: () => boolean | Promise<boolean>) => vi.waitUntil(met, { timeout: 20_000, interval: 20 });
const failed = async () => (await readQueue(database)).failed;

/** A promise with the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const id = newId();
const payment = { paymentIntentId: id };
const keyed = [
  ...[settleJob, expireJob, reclaimJob, resolveByTimeoutJob].map((job) => ({ job, payload: payment })),
  ...[returnPaymentJob, actOnDepositJob].map((job) => ({
    job,
    payload: { chainId: 1, termsHash: `0x${'ab'.repeat(32)}` },
  })),
  { job: deliverPayoutsJob, payload: { chainId: 1, recipient: `0x${'ab'.repeat(20)}`, token: `0x${'cd'.repeat(20)}` } },
  { job: reactToEventJob, payload: { appId: id, sequence: '1' } },
  { job: sendTransactionsJob, payload: { chainId: 1, sender: '0xab' } },
  { job: warnOfDeadlineJob, payload: payment },
  ...[mailInvitationJob, summarizeMailsJob].map((job) => ({ job, payload: { memberId: id } })),
  { job: sendMailsJob, payload: {} },
  ...[mailInvoiceJob, overdueInvoiceJob].map((job) => ({ job, payload: { invoiceId: id } })),
  { job: expireCheckoutSessionJob, payload: { sessionId: id } },
  ...[renewSubscriptionJob, forecastRenewalJob].map((job) => ({ job, payload: { subscriptionId: id } })),
] as { job: JobDefinition<unknown>; payload: unknown }[];
/** These are never added with a key. */
const unkeyed: JobDefinition<never>[] = [mailPasswordJob, refreshWalletJob, reactJob] as JobDefinition<never>[];

describe('a job that is added again while it runs', () => {
  it('has a case here for every kind of job', () => {
    const known = [...jobTable({} as WorkWorld, { wake: async () => undefined }).keys()];
    expect([...keyed.map(({ job }) => job), ...unkeyed].map((job) => job.name).toSorted()).toEqual(known.toSorted());
  });

  for (const { job, payload } of keyed) {
    it(`leaves no failure behind if its first run fails, and completes its work: ${job.name}`, async () => {
      const gates = [gate(), gate()] as const;
      let runs = 0;
      await run(
        new Map([
          jobEntry(job, async () => {
            runs += 1;
            if (runs > 1) return await gates[1].opened;
            await gates[0].opened;
            throw new Error('The node does not answer.');
          }),
        ]),
      );
      await add(job, payload, 'one');
      await until(() => runs === 1);
      await add(job, payload, 'one');
      await until(() => runs === 2);
      const [old, successor] = await rows();
      expect([old?.key, successor?.key]).toEqual([null, 'one']);
      // It has all attempts of a new job.
      expect(successor).toMatchObject({ attempts: 1, state: 'runs' });
      gates[0].open();
      await until(async () => (await rows()).length === 1);
      expect(await readQueue(database)).toMatchObject({ failed: 0, running: 1 });
      gates[1].open();
      await until(async () => (await rows()).length === 0);
      expect(runs).toBe(2);
    });
  }

  it('leaves no failure behind, regardless of when a worker takes it', async () => {
    const last = 150;
    const count = defineJob({ name: 'count', payload: z.object({ turn: z.number() }), maxAttempts: 25 });
    let done = 0;
    await run(
      new Map([
        jobEntry(count, async ({ turn }) => {
          if (turn < last) throw new Error('Not yet.');
          done += 1;
        }),
      ]),
    );
    for (let turn = 1; turn <= last; turn++) await add(count, { turn }, 'count');
    await until(async () => done > 0 && (await rows()).length === 0);
    expect(done).toBe(1);
  });

  it('is never counted as failed after its worker is killed and before another worker removes it', async () => {
    await add(settleJob, payment, 'killed');
    await database.$executeRaw`
      UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'dead', attempts = 1`;
    await add(settleJob, payment, 'killed');
    expect((await rows()).map((row) => row.key)).toEqual([null, 'killed']);
    await database.$queryRaw`SELECT graphile_worker.force_unlock_workers(ARRAY['dead'])::text`;
    expect(await readQueue(database)).toMatchObject({ failed: 0, ready: 1, running: 0 });
    let runs = 0;
    await run(new Map([jobEntry(settleJob, async () => (runs += 1))]));
    await until(async () => (await rows()).length === 0);
    expect(runs).toBe(1);
  });

  it('is left to a sweep only if no worker will run it', async () => {
    await add(settleJob, payment, 'runs');
    await database.$executeRaw`
      UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'busy', attempts = 1`;
    await add(settleJob, payment, 'waits');
    await add(settleJob, payment, 'waits long');
    await database.$executeRaw`
      UPDATE graphile_worker._private_jobs SET attempts = 8, run_at = now() + interval '1 hour' WHERE key = 'waits long'`;
    await add(settleJob, payment, 'failed');
    await database.$executeRaw`UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE key = 'failed'`;
    const keys = ['runs', 'waits', 'waits long', 'failed', 'missing'];
    expect([...(await keysAtWork(database, keys))].toSorted()).toEqual(['runs', 'waits']);
  });
});

describe('a job that is removed while it runs', () => {
  it('leaves no failure behind', async () => {
    const first = gate();
    let runs = 0;
    const handler = async () => {
      runs += 1;
      await first.opened;
      throw new Error('Too late.');
    };
    await run(new Map([jobEntry(renewSubscriptionJob, handler)]));
    await add(renewSubscriptionJob, { subscriptionId: id }, 'taken');
    await until(() => runs === 1);
    await transaction(database, (tx) => removeJob(tx, 'taken'));
    first.open();
    await until(async () => (await rows()).length === 0);
    expect(runs).toBe(1);
  });
});

describe('a job that has used all its attempts', () => {
  const greet = defineJob({ name: 'greet', payload: z.object({ name: z.string() }), maxAttempts: 2 });

  it('counts as failed while its fault lasts, is retried occasionally, and completes by itself', async () => {
    let isAway = true;
    let runs = 0;
    const handler = async () => {
      runs += 1;
      if (isAway) throw new Error('The mail server is away.');
    };
    await run(new Map([jobEntry(greet, handler)]));
    await add(greet, { name: 'late' });
    await database.$executeRaw`UPDATE graphile_worker._private_jobs SET attempts = 1 WHERE locked_at IS NULL`;
    await until(async () => runs >= 1 && (await failed()) === 1);
    // While it is idle, waits for a worker, and runs.
    const looks: number[] = [];
    await until(async () => {
      looks.push(await failed());
      return runs >= 4;
    });
    expect(new Set(looks)).toEqual(new Set([1]));
    isAway = false;
    await until(async () => (await rows()).length === 0);
    expect(await readQueue(database)).toMatchObject({ failed: 0, ready: 0, running: 0 });
  });

  it('receives all its attempts when it is added again, and its old row is deleted', async () => {
    await add(settleJob, payment, 'again');
    await database.$executeRaw`UPDATE graphile_worker._private_jobs SET attempts = max_attempts, last_error = 'x'`;
    expect(await failed()).toBe(1);
    await add(settleJob, payment, 'again');
    expect(await readQueue(database)).toMatchObject({ failed: 0, ready: 1 });
    const seen: string[] = [];
    await run(new Map([jobEntry(settleJob, async () => seen.push('settle'))]));
    await until(async () => (await rows()).length === 0);
    expect(seen).toEqual(['settle']);
  });
});
