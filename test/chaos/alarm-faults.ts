/** A fault for every alarm in docs/operations/alerts.yml that must raise the alarm. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createTestClient, getAddress, http, publicActions, walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import { renewSubscriptionJob } from '../../src/subscriptions/jobs.ts';
import { reorganize, replaceBlocks, running } from './faults.ts';
import type { NodeFault } from './node-proxy.ts';
import type { Ground } from './open-ground.ts';
import { familyOf, type PartName, signal } from './processes.ts';

export type AlarmFault = {
  name: string;
  alarms: readonly string[];
  /** Injects the fault, and returns the function that removes it. */
  strike(ground: Ground): Promise<() => Promise<void>>;
  /** Time until the fault takes effect, in addition to the times of the rule. */
  extraSeconds?: number;
};

const CHAIN = 31337;
const NOTHING_TO_HEAL = async () => undefined;
const REORGANISATIONS = 12;
const REORGANISED_BLOCKS = 6;
const BETWEEN_MS = 3_000;
/** The time within which the load creates what a fault affects: a capture, a due delivery, or a fact in the latest blocks. */
const LOAD_SECONDS = 60;
/** A depth at which every block of a local chain is final. */
const BEYOND_FINAL = 40;
/** The time limit for the first transaction of the load to become final. */
const FINAL_LIMIT_MS = 90_000;
const SENDERS_SECONDS = 60;
/** On local chains, a block is final after sixteen blocks of one second each. */
const ENDED_SECONDS = 60;
/** The interval after which a settlement that waits for its merchant is checked again. */
const SETTLEMENT_CHECK_SECONDS = 300;
/** The time in which a projector, which pauses after each failure, fails often enough to raise the alarm. */
const FAILURES_SECONDS = 300;

export const alarmFaults: readonly AlarmFault[] = [
  // Must come first, before any transaction has been given up.
  {
    name: 'a transaction is given up',
    alarms: ['SluiceTransactionsFailed'],
    extraSeconds: FINAL_LIMIT_MS / 1000,
    async strike(ground) {
      const deadline = performance.now() + FINAL_LIMIT_MS;
      for (;;) {
        const [row] = await query<{ id: string }>(
          ground,
          `UPDATE outgoing_transaction SET status = 'FAILED' WHERE id = (
             SELECT id FROM outgoing_transaction WHERE status = 'FINAL' ORDER BY id LIMIT 1) RETURNING id`,
        );
        if (row) {
          const back = `UPDATE outgoing_transaction SET status = 'FINAL' WHERE id = $1`;
          return async () => void (await query(ground, back, [row.id]));
        }
        if (performance.now() > deadline) throw new Error('No transaction is final yet.');
        await delay(1_000);
      }
    },
  },
  {
    name: 'a final block is replaced',
    alarms: ['SluiceChainHalted'],
    extraSeconds: FINAL_LIMIT_MS / 1000,
    async strike(ground) {
      // The local chain's node discards the states of old blocks after some hundred blocks, so a later reorganization of this depth
      // would remove the contracts.
      await untilFinal(ground);
      await replaceBlocks(rpcUrlOf(ground.demo), BEYOND_FINAL);
      return async () => {
        const { code, complained } = await ground.operate(['ops', 'chain', 'resync', String(CHAIN)]);
        if (code !== 0) throw new Error(complained);
      };
    },
  },
  { name: 'the API is suspended', alarms: ['SluicePartDown'], strike: (ground) => suspend(ground, 'api') },
  {
    name: 'the worker is suspended',
    alarms: [
      'SluicePartDown',
      'SluiceQueueStands',
      'SluiceConsumersBehind',
      'SluiceWebhooksLate',
      'SluiceTransactionsStuck',
      'SluicePaymentsOverdue',
    ],
    extraSeconds: LOAD_SECONDS,
    async strike(ground) {
      // From now on, deliveries of the load's events are no longer queued.
      const heal = await suspend(ground, 'worker');
      await overdue(ground);
      return heal;
    },
  },
  {
    name: 'the indexer is suspended',
    alarms: ['SluicePartDown', 'SluiceIndexerStale'],
    strike: (ground) => suspend(ground, 'indexer'),
  },
  {
    name: 'a node answers with 5xx',
    alarms: ['SluiceRpcErrors', 'SluiceProjectorFailing', 'SluiceIndexerStale'],
    extraSeconds: FAILURES_SECONDS,
    strike: (ground) => misbehave(ground, '5xx'),
  },
  { name: 'a node stands still', alarms: ['SluiceNodeStandsStill'], strike: (ground) => misbehave(ground, 'frozen') },
  {
    name: 'a node hides captures',
    alarms: ['SluiceProjectorStuck', 'SluiceChainLag'],
    extraSeconds: LOAD_SECONDS,
    strike: (ground) => misbehave(ground, 'no-captures'),
  },
  {
    name: 'the chain reorganizes again and again',
    alarms: ['SluiceReorganisations'],
    extraSeconds: (REORGANISATIONS * BETWEEN_MS) / 1000 + LOAD_SECONDS,
    async strike(ground) {
      // Only a reorganization that removes facts is counted.
      const recent = `SELECT 1 FROM chain_fact WHERE chain_id = ${CHAIN} AND status IN ('SEEN', 'CONFIRMED') AND block_number >
        (SELECT head_number - ${REORGANISED_BLOCKS - 1} FROM chain_cursor WHERE chain_id = ${CHAIN}) LIMIT 1`;
      for (let count = 0; count < REORGANISATIONS; count += 1) {
        await untilLoad(async () => (await query(ground, recent)).length > 0);
        await reorganize(rpcUrlOf(ground.demo), REORGANISED_BLOCKS);
        await delay(BETWEEN_MS);
      }
      return NOTHING_TO_HEAL;
    },
  },
  {
    name: 'the database breaks every connection',
    alarms: ['SluiceDatabaseUnavailable', 'SluiceHttpErrors', 'SluiceMetricsBroken'],
    async strike({ database }) {
      database.misbehave('cut');
      return async () => database.misbehave(undefined);
    },
  },
  {
    name: 'the operator has no coin',
    alarms: ['SluiceSenderLow'],
    extraSeconds: SENDERS_SECONDS,
    async strike({ demo }) {
      const client = clientOf(demo);
      const { address } = localAccounts.operator;
      const value = await client.getBalance({ address });
      await client.setBalance({ address, value: 1n });
      return () => client.setBalance({ address, value });
    },
  },
  {
    name: 'the books are altered by hand',
    alarms: ['SluiceBooksDrift'],
    extraSeconds: SENDERS_SECONDS,
    async strike(ground) {
      // The payment must have ended some time ago, so that no later event of the payment corrects the books.
      const [row] = await query<{ id: string; amount: string }>(
        ground,
        `UPDATE ledger_entry SET amount = amount + 1 WHERE id = (
           SELECT entry.id FROM ledger_entry entry
           JOIN payment_terms terms ON terms.chain_id = entry.chain_id AND terms.terms_hash = entry.terms_hash
           JOIN payment_intent intent ON intent.id = terms.payment_intent_id
           WHERE intent.status = 'SETTLED' AND entry.account = 'ESCROW' AND entry.chain_id = ${CHAIN}
             AND intent.settled_at < now() - interval '${ENDED_SECONDS} seconds' AND terms.authorize_by > now() - interval '30 minutes'
           ORDER BY intent.settled_at DESC LIMIT 1) RETURNING id, amount::text AS amount`,
      );
      if (!row) throw new Error('No payment has ended.');
      // Books are compared when a worker starts, and then every five minutes.
      await restartWorker(ground);
      return async () => {
        const [healed] = await query<{ id: string }>(
          ground,
          'UPDATE ledger_entry SET amount = amount - 1 WHERE id = $1 AND amount = $2 RETURNING id',
          [row.id, row.amount],
        );
        if (!healed) throw new Error('The books were corrected by something else.');
        await restartWorker(ground);
      };
    },
  },
  {
    name: 'a job fails for good',
    alarms: ['SluiceJobsFailed'],
    async strike(ground) {
      const add = `SELECT id FROM graphile_worker.add_job('${renewSubscriptionJob.name}', payload := '{}', max_attempts := 1)`;
      const [job] = await query<{ id: string }>(ground, add);
      return async () =>
        void (await query(ground, 'SELECT graphile_worker.complete_jobs(ARRAY[$1::bigint])', [job?.id]));
    },
  },
  {
    name: 'somebody sends tokens to the escrow',
    alarms: ['SluiceUnexpectedTransfers'],
    async strike({ demo }) {
      const [chain] = demo.chains;
      const [payer] = localAccounts.payers;
      const token = chain?.tokens[0]?.address;
      if (!chain || token === undefined) throw new Error('There is no token.');
      await clientOf(demo).writeContract({
        address: getAddress(token),
        abi: usdcTokenAbi,
        functionName: 'transfer',
        args: [getAddress(chain.escrow), 1_000_000n],
        account: privateKeyToAccount(payer.privateKey),
        chain: null,
      });
      return NOTHING_TO_HEAL;
    },
  },
  {
    name: 'a merchant is blocked by a token',
    alarms: ['SluicePayoutUndelivered'],
    extraSeconds: SETTLEMENT_CHECK_SECONDS,
    async strike({ demo }) {
      const token = demo.chains[0]?.tokens[0]?.address;
      const [payer] = localAccounts.payers;
      if (token === undefined) throw new Error('There is no token.');
      const onToken = async (functionName: 'blacklist' | 'unBlacklist') => {
        await clientOf(demo).writeContract({
          address: getAddress(token),
          abi: usdcTokenAbi,
          functionName,
          args: [localAccounts.merchant.address],
          account: privateKeyToAccount(payer.privateKey),
          chain: null,
        });
      };
      await onToken('blacklist');
      return () => onToken('unBlacklist');
    },
  },
  {
    name: 'no worker compares the books',
    alarms: ['SluiceBooksNotCompared'],
    strike: (ground) => suspend(ground, 'worker'),
  },
];

async function suspend({ folder }: Ground, part: PartName): Promise<() => Promise<void>> {
  const family = familyOf(await running(folder, { part, chainId: CHAIN }));
  signal(family, 'SIGSTOP');
  return async () => signal(family, 'SIGCONT');
}

/** Waits until the load has created what the fault affects. After the time limit, returns without it. */
async function untilLoad(isThere: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LOAD_SECONDS * 1000;
  while (!(await isThere()) && performance.now() < deadline) await delay(200);
}

async function misbehave({ nodes }: Ground, fault: NodeFault): Promise<() => Promise<void>> {
  nodes.get(CHAIN)?.misbehave(fault);
  return async () => nodes.get(CHAIN)?.misbehave(undefined);
}

/** Creates intents that should have expired long ago, as after an outage of the worker. */
async function overdue(ground: Ground): Promise<void> {
  await query(
    ground,
    `UPDATE payment_intent SET expires_at = now() - interval '15 minutes' WHERE id IN (
       SELECT id FROM payment_intent WHERE status = 'CREATED' LIMIT 5)`,
  );
}

/** Waits until the chain has facts that are final. */
async function untilFinal(ground: Ground): Promise<void> {
  const deadline = performance.now() + FINAL_LIMIT_MS;
  while (performance.now() < deadline) {
    const facts = `SELECT 1 FROM chain_fact WHERE chain_id = ${CHAIN} AND status = 'FINAL' AND block_number >
      (SELECT head_number - ${BEYOND_FINAL} FROM chain_cursor WHERE chain_id = ${CHAIN}) LIMIT 1`;
    if ((await query(ground, facts)).length > 0) return;
    await delay(1_000);
  }
  throw new Error('No fact is final yet.');
}

async function restartWorker({ folder }: Ground): Promise<void> {
  signal([await running(folder, { part: 'worker', chainId: CHAIN })], 'SIGKILL');
}

async function query<Row extends object>(
  { adminUrl }: Ground,
  text: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'alarms' });
  await client.connect();
  try {
    return (await client.query<Row>(text, parameters)).rows;
  } finally {
    await client.end();
  }
}

function rpcUrlOf(demo: Ground['demo']): string {
  const chain = demo.chains.find(({ chainId }) => chainId === CHAIN);
  if (!chain) throw new Error(`There is no chain ${CHAIN}.`);
  return chain.rpcUrl;
}

function clientOf(demo: Ground['demo']) {
  const transport = http(rpcUrlOf(demo));
  return createTestClient({ mode: 'anvil', transport }).extend(publicActions).extend(walletActions);
}

/** The names of all alarms that are covered, for tests that compare them with the rules. */
export const provenAlarms: readonly string[] = [...new Set(alarmFaults.flatMap(({ alarms }) => alarms))];
