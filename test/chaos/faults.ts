/** Every fault of a run: how it is injected, and how it is removed. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createClient, type Hex, http, numberToHex, type Transport } from 'viem';
import { lineFaults } from './database-proxy.ts';
import { nodeFaults } from './node-proxy.ts';
import type { Ground } from './open-ground.ts';
import { familyOf, type PartName, parts, processOf, signal } from './processes.ts';

/** A fault at one moment of a run, determined by the seed. */
export type Blow = {
  fault: string;
  chainId: number;
  appId: string;
  /** Its duration. Zero for a momentary fault. */
  seconds: number;
  /** Blocks that a reorganization replaces. */
  depth: number;
};

type Strike = (ground: Ground, blow: Blow) => Promise<() => Promise<void>>;

const NOTHING_TO_HEAL = async () => undefined;
const PROCESS_LIMIT_MS = 30_000;
/** Blocks; local chains are final after sixteen. */
const DEEPEST = 8;

const strikes: Record<string, Strike> = {
  ...Object.fromEntries(parts.map((part) => [`kill -9 ${part}`, kill(part)])),
  ...Object.fromEntries(parts.map((part) => [`SIGSTOP ${part}`, suspend(part)])),
  ...Object.fromEntries(
    nodeFaults.map((fault): [string, Strike] => [
      `node ${fault}`,
      async ({ nodes }, { chainId }) => {
        nodes.get(chainId)?.misbehave(fault);
        return async () => nodes.get(chainId)?.misbehave(undefined);
      },
    ]),
  ),
  ...Object.fromEntries(
    lineFaults.map((fault): [string, Strike] => [
      `database ${fault}`,
      async ({ database }) => {
        database.misbehave(fault);
        return async () => database.misbehave(undefined);
      },
    ]),
  ),
  'event_cursor locked': lockCursor,
  reorganization: async ({ demo }, { chainId, depth }) => {
    await reorganize(demo.chains.find((chain) => chain.chainId === chainId)?.rpcUrl ?? '', depth);
    return NOTHING_TO_HEAL;
  },
};

export const faultNames = Object.keys(strikes);

/** A momentary fault. Its recovery is measured from its injection. */
export function isMomentary(fault: string): boolean {
  return fault.startsWith('kill') || fault === 'reorganization';
}

/** Plans the faults in rounds. Each round contains every one of `names` once, in random order. */
export function* planBlows(
  chance: () => number,
  choices: { names: readonly string[]; chainIds: readonly number[]; appIds: readonly string[]; longestSeconds: number },
): Generator<Blow> {
  const below = (limit: number) => Math.floor(chance() * limit);
  for (;;) {
    const remaining = [...choices.names];
    while (remaining.length > 0) {
      const [fault = ''] = remaining.splice(below(remaining.length), 1);
      yield {
        fault,
        chainId: choices.chainIds[below(choices.chainIds.length)] ?? 0,
        appId: choices.appIds[below(choices.appIds.length)] ?? '',
        seconds: isMomentary(fault) ? below(1) : 5 + below(Math.max(1, choices.longestSeconds - 4)),
        depth: 1 + below(DEEPEST),
      };
    }
  }
}

/** Returns the function that removes it. */
export async function strike(ground: Ground, blow: Blow): Promise<() => Promise<void>> {
  const chosen = strikes[blow.fault];
  if (!chosen) throw new Error(`No such fault: ${blow.fault}.`);
  return await chosen(ground, blow);
}

function kill(part: PartName): Strike {
  return async ({ folder }, { chainId }) => {
    signal([await running(folder, { part, chainId })], 'SIGKILL');
    return NOTHING_TO_HEAL;
  };
}

function suspend(part: PartName): Strike {
  return async ({ folder }, { chainId }) => {
    const family = familyOf(await running(folder, { part, chainId }));
    signal(family, 'SIGSTOP');
    return async () => signal(family, 'SIGCONT');
  };
}

export async function running(folder: string, request: { part: PartName; chainId: number }): Promise<number> {
  const deadline = performance.now() + PROCESS_LIMIT_MS;
  while (performance.now() < deadline) {
    const pid = processOf(folder, request);
    if (pid !== undefined) return pid;
    await delay(100);
  }
  throw new Error(`No ${request.part} runs.`);
}

/** Locks the row that numbers the app's events in a foreign transaction. */
async function lockCursor({ adminUrl }: Ground, { appId }: Blow): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'chaos' });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM event_cursor WHERE app_id = $1 FOR UPDATE', [appId]);
  return async () => {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end();
  };
}

type ReorgSchema = [
  { Method: 'anvil_reorg'; Parameters: [depth: number, transactions: [raw: Hex, block: number][]]; ReturnType: null },
  { Method: 'eth_blockNumber'; Parameters?: undefined; ReturnType: Hex },
  { Method: 'eth_getBlockByNumber'; Parameters: [number: Hex, whole: false]; ReturnType: { transactions: Hex[] } },
  { Method: 'eth_getRawTransactionByHash'; Parameters: [hash: Hex]; ReturnType: Hex },
];

/** Replaces the newest blocks with empty ones. */
export async function reorganize(rpcUrl: string, depth: number): Promise<void> {
  await openReorganizer(rpcUrl).request({ method: 'anvil_reorg', params: [depth, []] });
}

/** Replaces the newest blocks with others that contain the same transactions. */
export async function replaceBlocks(rpcUrl: string, depth: number): Promise<void> {
  const client = openReorganizer(rpcUrl);
  const head = Number(await client.request({ method: 'eth_blockNumber' }));
  const kept: [Hex, number][] = [];
  for (let index = 0; index < depth; index += 1) {
    const number = numberToHex(head - depth + 1 + index);
    const block = await client.request({ method: 'eth_getBlockByNumber', params: [number, false] });
    for (const hash of block.transactions) {
      kept.push([await client.request({ method: 'eth_getRawTransactionByHash', params: [hash] }), index]);
    }
  }
  // Blocks that were mined meanwhile are replaced, too, without their transactions.
  const since = Number(await client.request({ method: 'eth_blockNumber' })) - head;
  await client.request({ method: 'anvil_reorg', params: [depth + since, kept] });
}

/** The local chain writes a snapshot of its whole state after each reorganization. A repeated request would replace blocks again. */
function openReorganizer(rpcUrl: string) {
  return createClient<Transport, undefined, undefined, ReorgSchema>({
    transport: http(rpcUrl, { timeout: 120_000, retryCount: 0 }),
  });
}
