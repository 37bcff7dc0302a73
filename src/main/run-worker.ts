import { purgeTokens } from '../auth/tokens/purge-tokens.ts';
import { openSecretKeys } from '../auth/tokens/secret-keys.ts';
import type { Config } from '../config/config.ts';
import { reactionConsumer } from '../events/consumers/reaction-consumer.ts';
import { runConsumers } from '../events/consumers/run-consumers.ts';
import { webhookConsumer } from '../events/consumers/webhook-consumer.ts';
import { purgeMails } from '../events/mails/purge-mails.ts';
import { remindDueRenewals } from '../events/mails/remind-renewals.ts';
import { reportLowBalances } from '../events/mails/report-low-balances.ts';
import { sweepMails } from '../events/mails/send-due-mails.ts';
import { purgeDeliveries } from '../events/webhooks/purge-deliveries.ts';
import { runWebhooks } from '../events/webhooks/run-webhooks.ts';
import { checkBooks } from '../operations/check-books.ts';
import { readSenders } from '../operations/read-senders.ts';
import { runSending } from '../operator/run-sending.ts';
import { operatorAddress } from '../operator/solana/operator-address.ts';
import { sweepPayments } from '../payments/actions/sweep-payments.ts';
import { sweepDeposits } from '../payments/deposits/schedule-deposits.ts';
import { publishDueLiabilities } from '../payments/reports/liabilities/publish-due.ts';
import { type AdvisoryLocks, openAdvisoryLocks } from '../platform/advisory-locks.ts';
import { purgeIdempotency } from '../platform/idempotency/purge-idempotency.ts';
import { purgeBuckets } from '../platform/limits/purge-buckets.ts';
import type { Log } from '../platform/log.ts';
import { openMailer } from '../platform/mail/mail.ts';
import { type Queue, runQueue } from '../platform/queue.ts';
import { openPriceBook } from '../prices/open-price-book.ts';
import { sweepRenewals } from '../subscriptions/renewal/sweep-renewals.ts';
import { runTestClock } from '../test-clock/run-test-clock.ts';
import { jobTable, reactionTable } from './job-table.ts';
import { openPumps, relayKeyOf } from './open-sending.ts';
import { type Base, openBase, openService, openSigners, type RunningPart } from './open-world.ts';

const SWEEP_MS = 10_000;
/** Reminders are scheduled in days. */
const REMINDERS_MS = 60_000;
const PURGE_MS = 3_600_000;
const SENDERS_MS = 30_000;
/** Snapshots are taken once a day, and soon after midnight. */
const LIABILITIES_MS = 900_000;
/** A comparison makes one node call per open payment. */
const BOOKS_MS = 300_000;

/** Runs jobs, the pumps of the sending keys, webhooks and scheduled work. Any number of workers can run. */
export async function runWorker(config: Config): Promise<RunningPart> {
  const base = openBase(config, 'worker');
  const { log, database } = base;
  await base.time.follow();
  const mailer = openMailer({ ...config.mail, isProduction: config.isProduction, log });
  const prices = openPriceBook({ ...base, clock: base.realClock }, config.prices);
  const world = { ...base, ...(await openSigners(base)), mailer, prices, secretKeys: openSecretKeys(config) };
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log, sessionMs: config.database.lockSessionMs });
  const solana = { nodes: base.solanaNodes, keys: config.solana };
  const sending = runSending(world, {
    turn: openPumps({ ...world, locks, solana }),
    keyOf: relayKeyOf(world),
  });
  // Wakes the pump without awaiting it: a pump may be busy for a long time, and no job waits for it to finish.
  const wake = (sender: { chainId: number; sender: string }) => void sending.wake(sender);
  const testClock = runTestClock({
    ...base,
    locks,
    wake,
    sweep: async () => {
      await sweep(world);
      await remindDueRenewals(world);
    },
  });
  const webhooks = runWebhooks({
    ...base,
    clock: base.realClock,
    privateAddresses: config.webhooks.privateAddresses,
  });
  const consumers = runConsumers(base, [
    webhookConsumer({ database, onQueued: webhooks.wake }),
    reactionConsumer({ database, log, reactions: reactionTable(world) }),
  ]);
  const stopSweep = repeat(() => sweep(world), { everyMs: SWEEP_MS, log });
  const stopReminders = repeat(() => remindDueRenewals(world), { everyMs: REMINDERS_MS, log });
  const stopPurge = repeat(() => purge({ ...base, clock: base.realClock }), { everyMs: PURGE_MS, log });
  const stopSenders = repeat(() => reportSenders(world), { everyMs: SENDERS_MS, log });
  const stopBooks = repeat(() => reportBooks(world, locks), { everyMs: BOOKS_MS, log });
  const stopLiabilities = repeat(() => publishLiabilities(world, locks), { everyMs: LIABILITIES_MS, log });
  let queue: Queue | undefined;
  const service = await openService(base, () => ({
    faults: queue?.faults() ?? ['The worker is starting.'],
    notes: [],
  }));
  const running = await runQueue({
    url: config.database.directUrl,
    jobs: jobTable(world, { wake: async (sender) => wake(sender) }),
    log,
    bounds: config.database.bounds,
  });
  queue = running;
  log.info({ operator: world.operator.address }, 'The worker is running.');
  return {
    async stop() {
      await testClock.stop();
      await Promise.all([stopSweep(), stopReminders(), stopPurge(), stopSenders(), stopBooks(), stopLiabilities()]);
      await Promise.all([running.stop(), consumers.stop()]);
      await webhooks.stop();
      await sending.stop();
      await service.close();
      await locks.close();
      await base.time.close();
      await base.listener.close();
      mailer.close();
      await database.$disconnect();
    },
  };
}

async function sweep(world: Base): Promise<void> {
  await sweepPayments(world);
  await sweepDeposits(world);
  await sweepRenewals(world);
  await sweepMails(world);
}

async function purge(base: Base): Promise<void> {
  await purgeIdempotency(base);
  await purgeTokens(base);
  await purgeDeliveries(base, { days: base.config.webhooks.retentionDays });
  await purgeMails(base, { days: base.config.mail.retentionDays });
  await purgeBuckets(base, { limits: base.config.rateLimits });
}

type ReportingWorld = Base & Awaited<ReturnType<typeof openSigners>>;

async function reportSenders(world: ReportingWorld): Promise<void> {
  const { operatorKey } = world.config.solana;
  const keys = [
    ...[world.operator, ...(world.arbiter ? [world.arbiter] : []), ...world.senders].map((signer) => signer.address),
    ...(operatorKey === undefined ? [] : [operatorAddress(operatorKey)]),
  ];
  const balances = await readSenders(world, { keys });
  world.instruments.senders(balances);
  await reportLowBalances(world, balances);
  for (const { chainId, sender, left, isLow } of balances) {
    if (isLow) world.log.warn({ chainId, sender, left: String(left) }, 'The gas balance of a sending key is low.');
  }
}

/** Only one worker compares the ledger at a time. The others keep their last values. */
async function reportBooks(world: ReportingWorld, locks: AdvisoryLocks): Promise<void> {
  await locks.tryWith('check-books', async () => {
    const checked = await checkBooks(world, {
      onFault: (chainId, error) => world.log.warn({ chainId, error }, 'The books of a chain could not be compared.'),
    });
    world.instruments.books(checked, world.realClock.now());
    for (const { chainId, drifts, uncovered, credits } of checked) {
      const fields = { chainId, payments: drifts.map((drift) => drift.paymentIntentId), uncovered, credits };
      if (drifts.length + uncovered.length + credits.length > 0)
        world.log.error(fields, 'BOOKS DRIFT: books and contract differ.');
    }
  });
}

/** Only one worker takes snapshots at a time. */
async function publishLiabilities(world: ReportingWorld, locks: AdvisoryLocks): Promise<void> {
  const { isPublic, retentionDays } = world.config.liabilities;
  if (!isPublic) return;
  await locks.tryWith('liabilities', async () => {
    const snapshots = await publishDueLiabilities(
      { ...world, clock: world.realClock },
      {
        days: retentionDays,
        onFault: (chainId, error) =>
          world.log.warn({ chainId, error }, 'The liabilities of a chain could not be published.'),
      },
    );
    for (const { chainId, tokens } of snapshots) {
      const short = tokens.filter(({ total, escrowBalance }) => escrowBalance < total).map(({ tokenKey }) => tokenKey);
      if (short.length > 0) world.log.error({ chainId, short }, 'LIABILITIES: the escrow holds less than is owed.');
    }
  });
}

/** Runs `work` at the given interval until stopped, never concurrently with itself. A failure is logged, and the next run tries again. */
function repeat(work: () => Promise<unknown>, options: { everyMs: number; log: Log }): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = async () => {
    await work().catch((error: unknown) => options.log.warn({ error }, 'Scheduled work failed. It will be retried.'));
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
