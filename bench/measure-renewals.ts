import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { escrowAbi } from '../src/escrow/escrow-abi.ts';
import { localAccounts } from '../src/local/local-accounts.ts';
import type { Bench } from './bench.ts';
import { partMemoryKb } from './measure-memory.ts';
import { startSecondWorker } from './second-worker.ts';
import { placesOf, type SeededRenewals, seedRenewals } from './seed-renewals.ts';

const POLL_MS = 1_000;
/** Beyond what a slow machine takes for one. */
const LIMIT_MS_EACH = 2_000;
const CONSENTS_AT_ONCE = 500;

/**
 * Subscriptions that are all due in the same minute and two workers, one of them killed (-9) when a third is paid and the
 * other when two thirds are: until every one is paid, and then whether the contract took each exactly once, and whether
 * invoices, books and the chain's balances say the same.
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
  try {
    const dueAt = new Date();
    const seeded = await seedRenewals(databaseUrl, { demo, count, operator, dueAt });
    const startedAt = performance.now();
    let paid = 0;
    let killed = 0;
    while (paid < count) {
      if (performance.now() - startedAt > 60_000 + count * LIMIT_MS_EACH) throw new Error(`Only ${paid} were paid.`);
      await delay(POLL_MS);
      paid = await number(client, `SELECT count(*) FROM invoice WHERE status = 'PAID' AND ${ofPlan}`, [
        seeded.productPlanId,
      ]);
      if (killed === kills.length || paid < (count * (killed + 1)) / 3) continue;
      kills[killed]?.();
      killed += 1;
      print(`${paid} paid after ${seconds(startedAt)} s; worker ${killed} is killed`);
    }
    const took = seconds(startedAt);
    await requireOnceEach(client, { seeded, count, print });
    const memory = ['worker.pid', 'indexer.pid'].map((file) => (partMemoryKb(installation, file) / 1024).toFixed(0));
    const row = `| ${count} | ${took} | ${(count / Number(took)).toFixed(1)} | ${memory.join(' | ')} |`;
    print(row);
    return `| renewals due at once, both workers killed | until all are paid, s | per second | memory of a worker, MiB | of the indexer |\n|---:|---:|---:|---:|---:|\n${row}`;
  } finally {
    await second.stop();
    await client.end();
  }
}

const ofPlan = 'subscription_id IN (SELECT id FROM subscription WHERE product_plan_id = $1)';

/** Throws where anything was charged twice or not at all, or where books, contract and balances differ. */
async function requireOnceEach(
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
  expect('Periods spent in the contract', await spentPeriods(node, { escrow, ids: seeded.consentIds }), count);
  const held = `SELECT coalesce(sum(left_amount), 0) AS count FROM payment_intent
    WHERE status IN ('AUTHORIZED', 'CAPTURED', 'REFUND_PENDING') AND authorization_chain_id = $1 AND crypto_token_key = $2`;
  const key = chain.tokens[0]?.key ?? '';
  const balanceOf = (address: Hex) =>
    node.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  expect('In escrow', await balanceOf(escrow), await number(client, held, [String(chain.chainId), key]));
  const left = await Promise.all(wallets.map(balanceOf));
  const filled = BigInt(wallets.length) * seeded.filledWith;
  expect('Taken from the wallets', filled - left.reduce((sum, one) => sum + one, 0n), BigInt(count) * amount);
  if (faults.length > 0) throw new Error(faults.join(' '));
}

/** How often the contract has taken a charge of these consents in all. */
async function spentPeriods(
  node: ReturnType<typeof createPublicClient>,
  { escrow, ids }: { escrow: Hex; ids: readonly Hex[] },
): Promise<number> {
  let spent = 0;
  for (let start = 0; start < ids.length; start += CONSENTS_AT_ONCE) {
    const states = await node.multicall({
      multicallAddress: '0xcA11bde05977b3631167028862bE2a173976CA11',
      allowFailure: false,
      contracts: ids
        .slice(start, start + CONSENTS_AT_ONCE)
        .map((id) => ({ address: escrow, abi: escrowAbi, functionName: 'consentState', args: [id] }) as const),
    });
    for (const [, nextPeriod] of states) spent += nextPeriod;
  }
  return spent;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

async function number(client: pg.Client, text: string, values: string[] = []): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text, values);
  return Number(rows[0]?.count ?? 0);
}
