import { setTimeout as delay } from 'node:timers/promises';
import { type Address, createTestClient, getAddress, http } from 'viem';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { openPayers, type Payer } from '../../test/chaos/x402/payers.ts';
import { readToken } from '../../test/chaos/x402/read-token.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import { openInstallation } from '../servers/open-installation.ts';
import { type Killable, openGateway, openStock } from './facilitators.ts';
import { type Answered, settleAll, signPayments } from './settle-payments.ts';

const ROUNDS = 3;
const PATIENCE_MS = 120_000;
const BLOCK_MS = 1_000;
/** Time after which transactions that no caller waits for are either mined or lost. */
const LULL_MS = 3_000;
const SETTLE_DOWN_MS = 5_000;

type World = {
  rpcUrl: string;
  token: Address;
  merchant: Address;
  payers: readonly Payer[];
  contestants: readonly Killable[];
  calls: number;
  print: Bench['print'];
};
/** The results of one facilitator over all rounds. */
type Sum = { answers: Answered[]; tookMs: number };
const blockKinds = { each: 'as transactions come', timed: 'every second' } as const;
type Blocks = keyof typeof blockKinds;

/**
 * Payments of stock clients that are settled by the gateway and by the facilitator of `@x402/evm`, each with one key, on the same chain and in
 * turns; then each of them is killed (-9) while it settles.
 */
export async function measureX402({ sizes, print }: Omit<Bench, 'installation'>): Promise<string> {
  const [ofGateway, ofStock] = localAccounts.senders;
  // A separate account, so that the standard facilitators do not use each other's nonces.
  const [ofManaged] = localAccounts.payers;
  if (!ofGateway || !ofStock) throw new Error('There are no keys.');
  const installation = await openInstallation({
    environment: () => ({ SENDER_PRIVATE_KEYS: ofGateway.privateKey, RELAY_MINIMUM_USD_31337: '0' }),
  });
  const contestants: Killable[] = [];
  const stop = async () => {
    await Promise.all(contestants.map((one) => one.stop()));
    await installation.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    const [chain] = installation.demo.chains;
    const usdc = chain?.tokens.find(({ key }) => key.startsWith('USDC'));
    if (!chain || !usdc) throw new Error('There is no chain with USDC.');
    const { chainId, rpcUrl } = chain;
    const place = { rpcUrl, chainId, token: getAddress(usdc.address), merchant: localAccounts.merchant.address };
    contestants.push(await openStock(place, { key: ofStock.privateKey, nonces: 'node' }));
    contestants.push(await openStock(place, { key: ofManaged.privateKey, nonces: 'managed' }));
    contestants.push(openGateway(installation, place));
    const payers = await openPayers(place, { name: 'x402 bench', count: sizes.x402Clients });
    const world = { ...place, payers, contestants, calls: sizes.x402Calls, print };
    // Otherwise the first payments would measure how Ponder catches up with what was mined for the wallets.
    await delay(SETTLE_DOWN_MS);
    const rows: string[] = [];
    for (const blocks of ['each', 'timed'] as const) {
      rows.push(...(await withBlocks(rpcUrl, blocks, () => compare(world, blocks))));
    }
    const killed = await withBlocks(rpcUrl, 'timed', () => killEach(world));
    return [
      '| blocks | settled by | payments | a second | ratio | p50 ms | p99 ms | failed | answered as failed, and charged |',
      '|---|---|---:|---:|---:|---:|---:|---:|---:|',
      ...rows,
      '',
      '| killed while it settles | payments | calls that broke | charged | answered as settled | answered as failed, not charged | answered as failed, and charged | no answer, and charged | charged twice |',
      '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
      ...killed,
    ].join('\n');
  } finally {
    await stop();
  }
}

async function compare(world: World, blocks: Blocks): Promise<string[]> {
  const sums = new Map<Killable, Sum>(world.contestants.map((one) => [one, { answers: [], tookMs: 0 }]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const contestant of world.contestants) {
      const count = round === 0 ? Math.ceil(world.calls / 10) : world.calls;
      const { answers, tookMs } = await settle(world, { contestant, count });
      // The first round warms up.
      const sum = sums.get(contestant);
      if (round > 0 && sum) {
        sum.answers.push(...answers);
        sum.tookMs += tookMs;
      }
      const settled = answers.filter(({ outcome }) => outcome === 'settled').length;
      world.print(
        `blocks ${blockKinds[blocks]}, round ${round}: ${contestant.name} settled ${settled} of ${count} in ${(tookMs / 1000).toFixed(1)} s${reasonsOf(answers)}`,
      );
    }
  }
  const { used } = await readToken(world);
  const rateOf = (sum: Sum) => (settledOf(sum).length / sum.tookMs) * 1000;
  const first = sums.get(world.contestants[0] as Killable);
  return [...sums].map(([{ name }, sum]) => {
    const settled = settledOf(sum).map(({ ms }) => ms);
    const failed = sum.answers.filter(({ outcome }) => outcome !== 'settled');
    const charged = failed.filter(({ key }) => used.has(key)).length;
    const share = ((failed.length / sum.answers.length) * 100).toFixed(1);
    const ratio = first ? rateOf(sum) / rateOf(first) : Number.NaN;
    return `| ${blockKinds[blocks]} | ${name} | ${sum.answers.length} | ${rateOf(sum).toFixed(1)} | ${ratio.toFixed(2)} | ${percentile(settled, 50).toFixed(0)} | ${percentile(settled, 99).toFixed(0)} | ${share} % | ${charged} |`;
  });
}

function settledOf({ answers }: Sum): Answered[] {
  return answers.filter(({ outcome }) => outcome === 'settled');
}

/** Signed before the measurement starts, because signing is the clients' work. */
async function settle(
  { payers }: World,
  { contestant, count }: { contestant: Killable; count: number },
): Promise<{ answers: Answered[]; tookMs: number }> {
  const signed = await signPayments(contestant, { payers, count });
  const measured = await settleAll(contestant, { signed, callers: payers.length, patienceMs: PATIENCE_MS });
  await delay(LULL_MS);
  return measured;
}

/** Each settles the same number of payments, and is killed when a third of them is answered. Callers repeat broken calls. */
async function killEach(world: World): Promise<string[]> {
  const rows: string[] = [];
  for (const contestant of world.contestants) {
    const signed = await signPayments(contestant, { payers: world.payers, count: world.calls });
    let isKilled = false;
    const { answers } = await settleAll(contestant, {
      signed,
      callers: world.payers.length,
      patienceMs: PATIENCE_MS,
      onAnswer: (answered) => {
        if (isKilled || answered < world.calls / 3) return;
        isKilled = true;
        contestant.kill();
      },
    });
    await delay(LULL_MS);
    const { used } = await readToken(world);
    const isCharged = ({ key }: Answered) => used.has(key);
    const count = (isCounted: (answer: Answered) => boolean) => answers.filter(isCounted).length;
    const cells = [
      answers.length,
      count(({ broken }) => broken > 0),
      count(isCharged),
      count(({ outcome }) => outcome === 'settled'),
      count((one) => one.outcome === 'failed' && !isCharged(one)),
      count((one) => one.outcome === 'failed' && isCharged(one)),
      count((one) => one.outcome === 'unknown' && isCharged(one)),
      count(({ key }) => (used.get(key)?.length ?? 0) > 1),
    ];
    const row = `| ${contestant.name} | ${cells.join(' | ')} |`;
    world.print(`${row}${reasonsOf(answers)}`);
    rows.push(row);
  }
  return rows;
}

/** Mines every second instead of at each transaction while the work runs. */
async function withBlocks<Result>(rpcUrl: string, blocks: Blocks, work: () => Promise<Result>): Promise<Result> {
  if (blocks === 'each') return await work();
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  await node.setAutomine(false);
  const timer = setInterval(() => void node.mine({ blocks: 1 }).catch(() => undefined), BLOCK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await node.setAutomine(true);
  }
}

function reasonsOf(answers: readonly Answered[]): string {
  const failed = answers.filter(({ outcome }) => outcome !== 'settled');
  const groups = Object.entries(Object.groupBy(failed, ({ outcome, reason }) => `${outcome}: ${reason.slice(0, 80)}`));
  return groups.map(([reason, ofReason]) => `; ${ofReason?.length ?? 0} ${reason}`).join('');
}
