import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createPublicClient, createTestClient, erc20Abi, type Hex, http } from 'viem';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import type { Bench } from '../bench.ts';
import { cpuBetween, takeSnapshot } from '../cpu/processes.ts';
import { placesOf, type SeededRenewals, seedRenewals, TIMELOCK_SECONDS } from '../seeds/seed-renewals.ts';
import { startSecondWorker } from '../servers/second-worker.ts';
import { partMemoryKb } from './measure-memory.ts';

const POLL_MS = 1_000;
/** Longer than a slow machine needs for one renewal. */
const LIMIT_MS_EACH = 2_000;
const CONSENTS_AT_ONCE = 500;

/**
 * Subscriptions that are all due in the same minute and two workers, one of them killed (-9) when a third is paid and the other when two
 * thirds are: until every one is paid. Then checks whether the contract accepted each exactly once, and whether invoices, ledger and the
 * chain's balances agree. Afterwards the timelocks of all of them end in the same second, until every one is settled.
 */
export async function measureRenewals({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl, folder } = installation;
  const count = sizes.renewals;
  const operator = localAccounts.operator.address;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const second = startSecondWorker(installation);
  const kills = [
    () => process.kill(Number(readFileSync(join(folder, 'worker.pid'), 'utf8')), 'SIGKILL'),
    () => second.kill(),
  ];
  const used = openMeter(installation, second);
  try {
    const dueAt = new Date();
    const seeded = await seedRenewals(databaseUrl, { demo, count, operator, dueAt });
    await client.query(
      `UPDATE graphile_worker._private_jobs SET run_at = now()
       WHERE key IN (SELECT 'subscription:' || id FROM subscription WHERE product_plan_id = $1)`,
      [seeded.productPlanId],
    );
    const renewals = await timed({ count, print, used, name: 'renewals' }, async () => {
      const paid = await number(client, `SELECT count(*) FROM invoice WHERE status = 'PAID' AND ${ofPlan}`, [
        seeded.productPlanId,
      ]);
      const killed = 2 - kills.length;
      if (paid < count && kills.length > 0 && paid >= (count * (killed + 1)) / 3) {
        kills.shift()?.();
        print(`${paid} are paid; a worker is killed`);
      }
      return paid;
    });
    await requireOnceEach(client, { seeded, count, print });
    const memory = ['worker.pid', 'indexer.pid'].map((file) => (partMemoryKb(installation, file) / 1024).toFixed(0));
    await endTimelocks(client, seeded);
    const settlements = await timed({ count, print, used, name: 'settlements' }, () =>
      number(
        client,
        `SELECT count(*) FROM payment_intent WHERE status = 'SETTLED'
           AND id IN (SELECT payment_intent_id FROM invoice WHERE ${ofPlan})`,
        [seeded.productPlanId],
      ),
    );
    return [
      '| due in the same minute | until all are done, s | a second | CPU ms each | by process, CPU ms each |\n|---|---:|---:|---:|---|',
      `| ${count} renewals, both workers killed | ${renewals}`,
      `| ${count} settlements | ${settlements}`,
      `\nMemory after the renewals: a worker ${memory[0]} MiB, the indexer with Ponder ${memory[1]} MiB.`,
    ].join('\n');
  } finally {
    await second.stop();
    await client.end();
  }
}

type Meter = () => Map<string, number>;

/** CPU milliseconds by process since the last call. The nodes of the chains are not counted. */
function openMeter({ folder }: Bench['installation'], second: ReturnType<typeof startSecondWorker>): Meter {
  let before = takeSnapshot(folder);
  let secondBefore = second.cpuMs();
  return () => {
    const [after, secondAfter] = [takeSnapshot(folder), second.cpuMs()];
    const used = new Map<string, number>(cpuBetween(before, after));
    used.set('second worker', secondAfter - secondBefore);
    [before, secondBefore] = [after, secondAfter];
    return used;
  };
}

/** Waits until `done` returns `count`, and prints how long it took and its CPU time. */
async function timed(
  { count, print, used, name }: { count: number; print: Bench['print']; used: Meter; name: string },
  done: () => Promise<number>,
): Promise<string> {
  used();
  const startedAt = performance.now();
  let printedCount = 0;
  for (let reached = 0; reached < count; ) {
    if (performance.now() - startedAt > 60_000 + count * LIMIT_MS_EACH) throw new Error(`Only ${reached} were done.`);
    await delay(POLL_MS);
    reached = await done();
    if (reached < printedCount + count / 10) continue;
    printedCount = reached;
    print(`${reached} ${name} after ${seconds(startedAt)} s`);
  }
  const took = seconds(startedAt);
  const costs = [...used()].map(([role, ms]) => [role, ms / count] as const);
  const together = costs.reduce((sum, [, ms]) => sum + ms, 0);
  const row = `${took} | ${(count / Number(took)).toFixed(1)} | ${together.toFixed(1)} | ${costs
    .map(([role, ms]) => `${role} ${ms.toFixed(1)}`)
    .join(', ')} |`;
  print(`${name}: ${row}`);
  return row;
}

/** Moves the chain's time past the timelocks, and makes their jobs due. */
async function endTimelocks(client: pg.Client, { chain, productPlanId }: SeededRenewals): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  await node.increaseTime({ seconds: TIMELOCK_SECONDS + 60 });
  await node.mine({ blocks: 1 });
  await client.query(
    `UPDATE graphile_worker._private_jobs SET run_at = now()
     WHERE key IN (SELECT 'settle:' || payment_intent_id FROM invoice WHERE ${ofPlan})`,
    [productPlanId],
  );
}

const ofPlan = 'subscription_id IN (SELECT id FROM subscription WHERE product_plan_id = $1)';

/** Throws if anything was charged twice or not at all, or if ledger, contract and balances differ. */
export async function requireOnceEach(
  client: pg.Client,
  { seeded, count, print }: { seeded: SeededRenewals; count: number; print: Bench['print'] },
): Promise<void> {
  const { chain, wallets, amount, productPlanId } = seeded;
  const { token, escrow } = placesOf(chain);
  const node = createPublicClient({ transport: http(chain.rpcUrl) });
  const faults: string[] = [];
  const expect = (what: string, found: bigint | number, wanted: bigint | number) => {
    print(`${what}: ${found} of ${wanted}`);
    if (BigInt(found) !== BigInt(wanted)) faults.push(`${what}: ${found}, and not ${wanted}.`);
  };
  const charges = `SELECT count(*) FROM chain_fact WHERE kind = 'Charged' AND status <> 'ORPHANED'
    AND args ->> 'consentId' IN (SELECT consent_id FROM subscription WHERE product_plan_id = $1)`;
  expect('Charges', await number(client, charges, [productPlanId]), count);
  const invoices = `SELECT count(*) FROM invoice WHERE ${ofPlan}`;
  expect('Invoices', await number(client, invoices, [productPlanId]), count);
  const moved = `SELECT count(*) FROM subscription WHERE product_plan_id = $1 AND status = 'ACTIVE'
    AND current_period_start = billing_cycle_anchor AND capture_retry_count = 0 AND pending_job_id IS NOT NULL`;
  expect('Subscriptions in their next period', await number(client, moved, [productPlanId]), count);
  expect('Periods spent in the contract', await countCharges(node, { escrow, ids: seeded.consentIds }), count);
  const held = `SELECT coalesce(sum(left_amount), 0) AS count FROM payment_intent
    WHERE status IN ('AUTHORIZED', 'CAPTURED', 'REFUND_PENDING') AND authorization_chain_id = $1 AND crypto_token_key = $2`;
  const key = chain.tokens[0]?.key ?? '';
  const balanceOf = (address: Hex) =>
    node.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  expect('In escrow', await balanceOf(escrow), await number(client, held, [String(chain.chainId), key]));
  const balances = await Promise.all(wallets.map(balanceOf));
  const filled = BigInt(wallets.length) * seeded.filledWith;
  expect('Taken from the wallets', filled - balances.reduce((sum, one) => sum + one, 0n), BigInt(count) * amount);
  if (faults.length > 0) throw new Error(faults.join(' '));
}

/** The total number of charges under these consents that the contract has accepted. */
async function countCharges(
  node: ReturnType<typeof createPublicClient>,
  { escrow, ids }: { escrow: Hex; ids: readonly Hex[] },
): Promise<number> {
  let count = 0;
  for (let start = 0; start < ids.length; start += CONSENTS_AT_ONCE) {
    const states = await node.multicall({
      multicallAddress: '0xcA11bde05977b3631167028862bE2a173976CA11',
      allowFailure: false,
      contracts: ids
        .slice(start, start + CONSENTS_AT_ONCE)
        .map((id) => ({ address: escrow, abi: escrowAbi, functionName: 'consentState', args: [id] }) as const),
    });
    for (const [, nextPeriod] of states) count += nextPeriod;
  }
  return count;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

async function number(client: pg.Client, text: string, values: string[] = []): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text, values);
  return Number(rows[0]?.count ?? 0);
}
