import { z } from 'zod';
import { LOCAL_SOLANA_CHAIN_ID } from '../../src/local/solana/local-solana-chain.ts';
import { localSolanaAccounts } from '../../src/local/solana/solana-accounts.ts';
import { startSuiNode } from '../../src/local/sui/sui-node.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import { openOwnApi } from '../servers/open-own-api.ts';

const PER_CHAIN = 10;
const suiChainIds = [784, 785];
const batchSchema = z.object({
  data: z.object({
    items: z.array(
      z.object({
        chainId: z.number(),
        balance: z.string().nullable(),
        error: z.object({ code: z.string() }).nullable(),
      }),
    ),
  }),
});
const oneSchema = z.object({ data: z.object({ balance: z.string() }) });

type Item = { chainId: number; address: string; tokenKey: string };
type Read = (item: Item) => Promise<string>;

/** Fifty balances on five chains by one call, compared with fifty concurrent calls and fifty sequential ones. */
export async function measureBalances({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  const sui = await startSuiNode();
  try {
    const api = await openOwnApi(
      installation,
      Object.fromEntries(suiChainIds.map((chainId) => [`RPC_URL_${chainId}`, sui.url])),
    );
    try {
      const evm = demo.chains.flatMap((chain) => evmItems(chain.chainId));
      const items = [...evm, ...solanaItems(), ...suiChainIds.flatMap(suiItems)];
      return await measure({ url: api.url, key: demo.publishableKey, items, rounds: sizes.rounds, print });
    } finally {
      await api.stop();
    }
  } finally {
    await sui.stop();
  }
}

async function measure(options: {
  url: string;
  key: string;
  items: Item[];
  rounds: number;
  print: Bench['print'];
}): Promise<string> {
  const { url, items } = options;
  const headers = { 'x-api-key': options.key, 'content-type': 'application/json' };
  const readBatch = async () => {
    const answer = await fetch(`${url}/balance/batch`, { method: 'POST', headers, body: JSON.stringify({ items }) });
    return batchSchema.parse(await answer.json()).data.items.map(({ chainId, balance, error }) => {
      if (balance === null) throw new Error(`Chain ${chainId}: ${error?.code}`);
      return balance;
    });
  };
  const readOne: Read = async ({ chainId, address, tokenKey }) => {
    const query = new URLSearchParams({ chainId: String(chainId), address, tokenKey });
    return oneSchema.parse(await (await fetch(`${url}/balance?${query}`, { headers })).json()).data.balance;
  };
  const ways: [name: string, read: () => Promise<string[]>, spans: number[]][] = [
    ['one batch', readBatch, []],
    ['single calls at once', () => Promise.all(items.map(readOne)), []],
    ['single calls in turn', () => inTurn(items, readOne), []],
  ];
  const expected = (await firstOf(readBatch)).join();
  // The first round warms up.
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [name, read, spans] of ways) {
      const askedAt = performance.now();
      const balances = await read();
      if (round > 0) spans.push(performance.now() - askedAt);
      if (balances.join() !== expected) throw new Error(`${name}: other balances than before.`);
    }
  }
  const batchMs = percentile(ways[0]?.[2] ?? [], 50);
  const rows = ways.map(([name, , spans]) => {
    const p50Ms = percentile(spans, 50);
    return `| ${name} | ${p50Ms.toFixed(0)} | ${percentile(spans, 99).toFixed(0)} | ${(p50Ms / batchMs).toFixed(1)} |`;
  });
  options.print(rows.join('\n'));
  const chains = new Set(items.map((item) => item.chainId)).size;
  return `| ${items.length} balances on ${chains} chains, ${options.rounds} rounds | p50 ms | p99 ms | p50, times the batch |\n|---|---:|---:|---:|\n${rows.join('\n')}`;
}

/** The API loads a family's library with the first request, which may take longer than the time limit of a chain. */
async function firstOf(read: () => Promise<string[]>, attempts = 5): Promise<string[]> {
  try {
    return await read();
  } catch (error) {
    if (attempts <= 1) throw error;
    return await firstOf(read, attempts - 1);
  }
}

async function inTurn(items: Item[], read: Read): Promise<string[]> {
  const balances: string[] = [];
  for (const item of items) balances.push(await read(item));
  return balances;
}

function evmItems(chainId: number): Item[] {
  return Array.from({ length: PER_CHAIN }, (_, index) => ({
    chainId,
    address: hex(index, 40),
    tokenKey: `${['USDC', 'USDT', 'ETH'][index % 3]}-${chainId}`,
  }));
}

function solanaItems(): Item[] {
  const { payers, operator, merchant, feeRecipient } = localSolanaAccounts;
  const owners = [...payers, operator, merchant, feeRecipient];
  const all = ['USDC', 'PYUSD', 'SOL'].flatMap((symbol) =>
    owners.map(({ address }) => ({
      chainId: LOCAL_SOLANA_CHAIN_ID,
      address,
      tokenKey: `${symbol}-${LOCAL_SOLANA_CHAIN_ID}`,
    })),
  );
  return all.slice(0, PER_CHAIN);
}

function suiItems(chainId: number): Item[] {
  return Array.from({ length: PER_CHAIN }, (_, index) => ({
    chainId,
    address: hex(index, 64),
    tokenKey: `SUI-${chainId}`,
  }));
}

function hex(index: number, digits: number): string {
  return `0x${(index + 1).toString(16).padStart(digits, '0')}`;
}
