/** The state of the whole installation, for the operator's terminal and page. Read-only. */
import { formatUnits } from 'viem';
import { checkBooks } from './check-books.ts';
import { chainFaults } from './health/chain-faults.ts';
import { consumerFaults } from './health/read-consumers.ts';
import { type PayoutFault, readPayoutFaults } from './health/read-payout-faults.ts';
import { daysLeft, readSpending } from './health/read-spending.ts';
import { type ChainSigns, readVitalSigns, type VitalSigns } from './health/vital-signs.ts';
import type { OperationsWorld } from './operations-world.ts';
import { readSenders, type SenderBalance } from './read-senders.ts';

/** Block numbers of EVM chains, slots of Solana. */
export type ChainLine = {
  chainId: number;
  name: string;
  /** The newest block that the node knows, or null if it does not respond. */
  node: bigint | null;
  observed: ChainSigns['observed'];
};

export type BooksLine = {
  /** Chain id. */
  chainId: number | null;
  state: 'MATCH' | 'DRIFT' | 'UNKNOWN';
  payments: number | null;
  drifting: number | null;
  /** Keys of the tokens of which the escrow contract holds less than the ledger requires. */
  uncovered: string[];
};

export type WorkLine = {
  factsSeen: number;
  factsWaiting: number;
  jobsReady: number;
  jobsScheduled: number;
  jobsRunning: number;
  jobsFailed: number;
  oldestJobSeconds: number;
  webhooksDue: number;
  endpointsDisabled: number;
  intentsOverdue: number;
};

/** `daysLeft`: whole days for which the balance lasts at the present rate; null if nothing was spent in the last week. */
export type SenderLine = SenderBalance & { daysLeft: number | null };

export type InstallationView = {
  /** Faults and the commands to run next. Empty when all is well. */
  faults: string[];
  chains: ChainLine[];
  work: WorkLine;
  consumers: VitalSigns['consumers'];
  sending: VitalSigns['outgoing'];
  senders: SenderLine[];
  books: BooksLine[];
  payoutFaults: PayoutFault[];
};

/** A job that has been ready for longer than this is not taken by any worker. */
const QUEUE_LIMIT_SECONDS = 120;
/** Same threshold as the alert. */
const UNDELIVERED_LIMIT_SECONDS = 3_600;
const SECOND_LOOK_MS = 1_000;

/** `readBooks` compares the ledger with the contracts, or returns a recent comparison. */
export async function readInstallation(
  world: OperationsWorld,
  readBooks: (world: OperationsWorld) => Promise<BooksLine[]> = compareBooks,
): Promise<InstallationView> {
  const now = world.clock.now();
  const readSigns = async () => {
    const signs = await readVitalSigns(world, { now });
    return { signs, chains: await Promise.all(signs.chains.map((chain) => readChainLine(world, chain))) };
  };
  // Read concurrently, so that the page only waits for the slowest of them, which is a node or the comparison of the ledger.
  const [{ signs, chains }, spending, balances, books, payoutFaults] = await Promise.all([
    readSigns(),
    readSpending(world.database, now),
    readSenders(world, { keys: world.keys }),
    readBooks(world),
    readPayoutFaults(world),
  ]);
  const senders = balances.map((balance): SenderLine => {
    const spent = spending.find(({ chainId, sender }) => chainId === balance.chainId && sender === balance.sender);
    return { ...balance, daysLeft: daysLeft(balance.left, spent) };
  });
  const faults = [
    ...signs.chains.flatMap(chainFaults),
    ...chains.filter((row) => row.node === null).map((row) => `The node of chain ${row.chainId} does not respond.`),
    ...consumerFaults(signs.consumers),
    ...workFaults(signs),
    ...senders.filter((sender) => sender.isLow).map(lowFault),
    ...books
      .filter((row) => row.state === 'DRIFT')
      .map((row) => `The books of chain ${row.chainId} differ from the contract. Run: npm run verify -- --all`),
    ...payoutFaults.map(payoutFault),
  ];
  const { consumers, outgoing: sending } = signs;
  return { faults, chains, work: workLine(signs), consumers, sending, senders, books, payoutFaults };
}

export async function readChainLine(world: OperationsWorld, chain: ChainSigns): Promise<ChainLine> {
  const { chainId, name, observed } = chain;
  return { chainId, name, node: await headOf(world, chainId).catch(() => null), observed };
}

/** Returns a slot on Solana, or null without a node. */
async function headOf({ nodes, solanaNodes, registry }: OperationsWorld, chainId: number): Promise<bigint | null> {
  if (registry.chain(chainId)?.family !== 'SOLANA') {
    return await nodes.asking(chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  }
  const slot = await solanaNodes?.asking(chainId, (connection) => connection.getSlot('confirmed'));
  return slot === undefined ? null : BigInt(slot);
}

function workLine({ inbox, queue, webhooks, overdue }: VitalSigns): WorkLine {
  const facts = (state: string) => inbox.filter((row) => row.state === state).reduce((sum, row) => sum + row.facts, 0);
  return {
    factsSeen: facts('seen'),
    factsWaiting: facts('waiting') + facts('to_take_back'),
    jobsReady: queue.ready,
    jobsScheduled: queue.scheduled,
    jobsRunning: queue.running,
    jobsFailed: queue.failed,
    oldestJobSeconds: Math.round(queue.oldestSeconds),
    webhooksDue: webhooks.due,
    endpointsDisabled: webhooks.disabled,
    intentsOverdue: overdue.reduce((sum, row) => sum + row.intents, 0),
  };
}

function lowFault(low: SenderBalance): string {
  return `Key ${low.sender} has ${formatUnits(low.left ?? 0n, low.decimals)} left for gas on chain ${low.chainId}.`;
}

function payoutFault({ appId, family, address, chainId, fault }: PayoutFault): string {
  return [
    `App ${appId} cannot be paid on chain ${chainId}: its payout address ${address} ${fault}.`,
    `Run: npm run ops -- app set-payout --app ${appId} --family ${family.toLowerCase()} --address <address>`,
  ].join(' ');
}

function workFaults({ queue, outgoing, overdue, undelivered, deposits }: VitalSigns): string[] {
  const faults: string[] = [];
  if (queue.oldestSeconds > QUEUE_LIMIT_SECONDS) {
    faults.push(`A job has waited for ${Math.round(queue.oldestSeconds)} s: is a worker running?`);
  }
  if (queue.failed > 0) faults.push(`${queue.failed} jobs are out of attempts. Run: npm run ops -- jobs failed`);
  if (outgoing.some((row) => row.status === 'FAILED')) {
    faults.push('Transactions were given up. Run: npm run ops -- pending --status failed');
  }
  if (overdue.some((row) => row.intents > 0)) faults.push('Payments are overdue. Run: npm run ops -- stuck');
  if (undelivered.some((row) => row.state !== 'acknowledged' && row.oldestSeconds > UNDELIVERED_LIMIT_SECONDS)) {
    faults.push('Payouts are undelivered. Run: npm run ops -- payouts');
  }
  if (deposits.some((row) => row.stuckSeconds > UNDELIVERED_LIMIT_SECONDS)) {
    faults.push('Deposits cannot be returned. Run: npm run ops -- payments stuck');
  }
  if (deposits.some((row) => row.overdue > 0)) {
    faults.push('Deposits are waiting to be collected or returned. Run: npm run ops -- stuck');
  }
  return faults;
}

/** A node that does not respond is reported with its chain. The state of that chain's ledger is then UNKNOWN. */
export async function compareBooks(world: OperationsWorld): Promise<BooksLine[]> {
  const unknown = new Set<number>();
  const onFault = (chainId: number) => void unknown.add(chainId);
  const checked = await checkBooks(world, { secondLookMs: SECOND_LOOK_MS, onFault });
  const lines = checked
    .filter(({ chainId }) => !unknown.has(chainId))
    .map(({ chainId, payments, drifts, uncovered, credits }): BooksLine => {
      const state = drifts.length + uncovered.length + credits.length === 0 ? 'MATCH' : 'DRIFT';
      return { chainId, state, payments, drifting: drifts.length, uncovered };
    });
  const none = { state: 'UNKNOWN', payments: null, drifting: null, uncovered: [] } as const;
  return [...lines, ...[...unknown].map((chainId) => ({ ...none, chainId, uncovered: [] }))];
}
