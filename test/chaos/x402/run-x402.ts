/**
 * `npm run x402 -- [--payments 10000] [--clients 200] [--kills 20] [--reorgs 100] [--late 10] [--seed 7] [--limit-minutes 40]`: unmodified
 * clients of x402 buy calls from the servers of one merchant, while parts of the installation are killed, blocks are replaced and the node
 * responds late, in an order determined by the seed. Some headers are sent twice. Then every header is compared with the token and the
 * books. If an invariant is violated, prints the reasons and exits with code 1. See docs/x402.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTestClient, getAddress, http } from 'viem';
import { localAccounts } from '../../../src/local/local-accounts.ts';
import { openGround } from '../open-ground.ts';
import { surroundings } from '../write-figures.ts';
import { evaluateCalls } from './evaluate-calls.ts';
import { openPayers } from './payers.ts';
import { readUnderWay } from './read-books.ts';
import { readBalances } from './read-token.ts';
import { openResourceServers } from './resource-servers.ts';
import { buyCalls } from './stock-clients.ts';
import { strikeByProgress } from './strike-by-progress.ts';

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
    reorgs: { type: 'string', default: '100' },
    late: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    'limit-minutes': { type: 'string', default: '40' },
  },
});
const [calls, clients, kills, reorgs, late, seed, limitMinutes] = [
  values.payments,
  values.clients,
  values.kills,
  values.reorgs,
  values.late,
  values.seed,
  values['limit-minutes'],
].map(Number) as [number, number, number, number, number, number, number];
if (
  ![calls, clients, kills, reorgs, late, seed].every(Number.isInteger) ||
  calls < 1 ||
  clients < 1 ||
  !(limitMinutes > 0)
) {
  console.error('Usage: npm run x402 -- --payments 10000 --clients 200 --kills 20 --reorgs 100 --late 10 --seed 7');
  process.exit(2);
}

const SERVERS = 2;
const REPORT_EVERY_MS = 15_000;
const LOOK_MS = 1_000;
/** The time limit for all pending payments. An authorization that no transaction uses is valid for five minutes. */
const REST_LIMIT_MS = 420_000;
const FINAL_BLOCKS = 20;
/** The load would reach the rate limits, and the run would then measure only those. */
const withoutLimits = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
  RATE_LIMIT_KEYLESS_PER_SECOND: '1000000',
};

const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const print = (line: string) => console.log(`${seconds().toFixed(0).padStart(5)} s  ${line}`);

print(
  `Seed ${seed}: ${calls} payments by ${clients} clients, ${kills} kills, ${reorgs} reorganizations, ${late} times a late node.`,
);
let interrupted = false;
const opening = openGround({ LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn', ...withoutLimits });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    void opening.then((opened) => opened.stop()).finally(() => process.exit(130));
  });
}
const ground = await opening;
const reasons: string[] = [];
let summary = '';
try {
  summary = await prove();
} catch (error) {
  reasons.push(`The run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
} finally {
  if (!interrupted) {
    const survivors = await ground.stop();
    if (survivors.length > 0)
      reasons.push(`${survivors.length} processes were still running after npm start had ended.`);
  }
}
const verdict = reasons.length === 0 ? 'All checks passed.' : `${reasons.length} checks failed.`;
console.log(`\n${surroundings()}; seed ${seed}, ${seconds().toFixed(0)} s in all. ${verdict}\n${summary}`);
for (const reason of reasons) console.error(`- ${reason}`);
// After an interruption, wait until the installation has stopped.
if (!interrupted) process.exit(reasons.length === 0 ? 0 : 1);

async function prove(): Promise<string> {
  const [chain] = ground.demo.chains;
  const usdc = chain?.tokens.find(({ key }) => key.startsWith('USDC'));
  if (!chain || !usdc) throw new Error('There is no chain with USDC.');
  const { chainId, rpcUrl } = chain;
  const token = { rpcUrl, token: getAddress(usdc.address), merchant: localAccounts.merchant.address };
  const payers = await openPayers(token, { name: `x402 ${seed}`, count: clients });
  const addresses = payers.map(({ address }) => address);
  const before = await readBalances(token, [...addresses, token.merchant]);
  const servers = await openResourceServers(
    { apiUrl: ground.demo.restUrl, secretKey: ground.demo.secretKey, network: `eip155:${chainId}` },
    { count: SERVERS },
  );
  print('The installation runs, and the wallets have tokens; the clients begin.');
  const begunAt = seconds();
  const deadline = performance.now() + limitMinutes * 60_000;
  let broken: string | undefined;
  let isStruck = false;
  const isOver = () => broken !== undefined || performance.now() > deadline;
  const buying = buyCalls({ payers, servers, seed, isOver }, { calls, goOn: () => !isStruck && !isOver() });
  const striking = strikeByProgress(
    { ground, chain: { chainId, rpcUrl }, seed, progress: () => buying.served() / calls, isOver, print },
    { kills, reorgs, late },
  );
  void striking.done
    .finally(() => {
      isStruck = true;
    })
    .catch(() => undefined);
  let reportedAt = performance.now();
  let reportedServed = 0;
  const watch = setInterval(() => {
    broken ??= brokenRule();
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    const rate = ((buying.served() - reportedServed) / (performance.now() - reportedAt)) * 1000;
    [reportedAt, reportedServed] = [performance.now(), buying.served()];
    const { struck } = striking;
    print(
      `${reportedServed} served, ${rate.toFixed(1)} a second, ${buying.inFlight()} requests under way; ${struck.kills} kills, ${struck.reorgs} reorganizations, ${struck.late} times late`,
    );
  }, LOOK_MS);
  /** Checks the invariants that must hold during the run. */
  const brokenRule = (): string | undefined => {
    if (ground.hasEnded())
      return `npm start exited unexpectedly:\n${ground.printed().split('\n').slice(-20).join('\n')}`;
    const twice = buying.headers.find(({ served }) => served > 1);
    return (
      twice && `A header bought ${twice.served} responses: ${twice.route}, payer ${twice.payer}, nonce ${twice.nonce}.`
    );
  };
  await Promise.all([buying.done, striking.done]);
  clearInterval(watch);
  broken ??= brokenRule();
  if (broken !== undefined) reasons.push(broken);
  const took = seconds() - begunAt;
  if (buying.served() < calls)
    reasons.push(`Only ${buying.served()} of ${calls} calls were served in ${took.toFixed(0)} s.`);
  print(`${buying.served()} calls are served. Pending work is completed.`);
  if (!ground.hasEnded()) {
    reasons.push(...(await comeToRest(rpcUrl)));
    const verdict = await evaluateCalls({ ground, token, headers: buying.headers, payers: addresses, before });
    reasons.push(...verdict.reasons);
    for (const fact of verdict.facts) print(fact);
  }
  for (const [failure, times] of buying.failures) print(`Clients: ${times} times ${failure}`);
  for (const [text, times] of servers.complaints) print(`Servers: ${times} times ${text}`);
  servers.close();
  return summarize(buying, { took, struck: striking.struck, killed: striking.killed });
}

/** Mines blocks until everything is final and no work is pending. */
async function comeToRest(rpcUrl: string): Promise<string[]> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  const deadline = performance.now() + REST_LIMIT_MS;
  let reportedAt = performance.now();
  for (;;) {
    await node.mine({ blocks: FINAL_BLOCKS }).catch(() => undefined);
    await delay(LOOK_MS);
    const underWay = await readUnderWay(ground.adminUrl);
    if (underWay.length === 0) return [];
    if (performance.now() > deadline)
      return [`Work was still pending after ${REST_LIMIT_MS / 1000} s: ${underWay.join(', ')}.`];
    if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = performance.now();
    print(`under way: ${underWay.join(', ')}`);
  }
}

type Figures = {
  took: number;
  struck: { kills: number; reorgs: number; late: number };
  killed: ReadonlyMap<string, number>;
};

function summarize(
  { durations, headers, served }: ReturnType<typeof buyCalls>,
  { took, struck, killed }: Figures,
): string {
  const sorted = durations.toSorted((left, right) => left - right);
  const at = (share: number) => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(1);
  const parts = [...killed].map(([part, times]) => `${part} ${times}`).join(', ');
  return [
    '\n| payments | clients | headers signed | kill -9 | reorganizations | late | s | a second | p50 s | p99 s | worst s |',
    '|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|',
    `| ${served()} | ${clients} | ${headers.length} | ${struck.kills} (${parts || 'none'}) | ${struck.reorgs} | ${struck.late} | ${took.toFixed(0)} | ${(served() / took).toFixed(1)} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |\n`,
  ].join('\n');
}
