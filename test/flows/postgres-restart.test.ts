/** A database that is killed while a worker and a projector are running, and restarts. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../prisma/client.ts';
import { deployMigrations } from '../../prisma/migrate.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { parseConfig } from '../../src/config/config.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { runProjector } from '../../src/facts/run-projector.ts';
import { isAlive, stopProcess } from '../../src/local/child-process.ts';
import { localChain } from '../../src/local/local-chains.ts';
import { keepPostgres } from '../../src/local/postgres/keep-postgres.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { runWorker } from '../../src/main/run-worker.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { openGround } from '../payments/ground.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

/** Accessible to the server's user if the test runs as root. */
const folder = join(tmpdir(), `sluice-postgres-restart-${crypto.randomUUID()}`);
onTeardown(async () => rmSync(folder, { recursive: true, force: true }));

async function openInstallation() {
  const output: string[] = [];
  const settings = { shared_buffers: '32MB' };
  const postgres = await keepPostgres(
    { folder: join(folder, 'postgres'), port: await freePort(), settings },
    { log: (line) => output.push(line), onGivenUp: () => output.push('given up') },
  );
  onTeardown(postgres.stop);
  await deployMigrations(postgres.url);
  const database = openDatabase({ url: postgres.url });
  onTeardown(() => database.$disconnect());
  const ground = await openGround({ database: { database, url: postgres.url } });
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify([localChain(ground.evm.chainId)]));
  const config = parseConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.SLUICE_TEST_LOG ? 'debug' : 'silent',
    DATABASE_URL: postgres.url,
    CHAINS_FILE: chainsFile,
    OPERATOR_PRIVATE_KEY: ground.evm.operator.privateKey,
    [`RPC_URL_${ground.evm.chainId}`]: ground.evm.rpcUrl,
  });
  const worker = await runWorker(config);
  onTeardown(worker.stop);
  const world = { ...ground.world, ...ground, unexpectedTransfer: () => undefined };
  const locks = openAdvisoryLocks({ url: postgres.url, log: ground.world.log });
  onTeardown(locks.close);
  const projector = runProjector(
    { ...ground.world, source: openLogSource(ground), handlers: factTable(world), locks },
    { chains: [{ chainId: ground.evm.chainId, intervalMs: 50 }] },
  );
  onTeardown(projector.stop);
  return { ground, postgres, output };
}

const patience = { timeout: 120_000, interval: 100 };

it('work in progress is completed once after a restart', async () => {
  const { ground, postgres, output } = await openInstallation();
  const { merchantId } = await ground.database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  const status = (id: string) =>
    ground.read(id).then(
      (intent) => intent.status,
      () => 'no database',
    );
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  await expect.poll(() => status(intent.id), patience).toBe('CAPTURED');

  const world = { ...ground.world, operator: ground.evm.operator };
  const refund = () =>
    refundPaymentIntent(world, {
      scope: { merchantId, appId: ground.app.id },
      id: intent.id,
      reason: 'In the middle of it',
      amount: '4000000',
      idempotency: idempotencyRequest({
        scopeId: ground.app.id,
        operation: 'test',
        parameters: {},
        sealedUnder: openSecretKeys({}).answers,
        headerKey: 'one refund',
      }),
    });
  await refund();
  await stopProcess(postgres.pid, 'SIGKILL', 10_000);
  expect(isAlive(postgres.pid)).toBe(false);
  // Repeats with the same key until there is a response, like a caller without one.
  await expect
    .poll(
      () =>
        refund().then(
          (answer) => answer.amount,
          () => delay(0, 'no database'),
        ),
      patience,
    )
    .toBe('4000000');
  const later = await ground.intent();
  await ground.authorize(await ground.sign(later));

  await expect.poll(() => status(later.id), patience).toBe('CAPTURED');
  await expect.poll(async () => (await ground.state(signed.id)).left, patience).toBe(6_000_000n);
  await expect.poll(() => status(intent.id), patience).toBe('CAPTURED');
  await expect.poll(() => ground.held(signed.id), patience).toBe(6_000_000n);
  expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'refund_pending', 'partially_refunded']);
  expect(await ground.database.outgoingTransaction.count()).toBe(1);
  // The queue recovers: every due job is taken.
  const due = () => ground.database.$queryRaw<{ due: bigint }[]>`
    SELECT count(*) AS due FROM graphile_worker._private_jobs WHERE run_at <= now()`;
  await expect.poll(async () => Number((await due())[0]?.due), patience).toBe(0);
  expect(output).toEqual(['Postgres exited and is restarted.']);
}, 400_000);
