import { beforeAll, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { checkBooks } from '../../src/operations/check-books.ts';
import { openReadiness } from '../../src/operations/health/read-readiness.ts';
import { openInstruments } from '../../src/operations/metrics/instruments.ts';
import { tellTables } from '../../src/operations/metrics/table-gauges.ts';
import { operate } from '../../src/operations/operate.ts';
import { readSenders } from '../../src/operations/read-senders.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { type Gateway, openGateway } from '../setup/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
  await gateway.observe();
});

async function run(...args: string[]) {
  const { database, clock, registry, nodes, evm } = gateway;
  const said = { printed: '', complained: '' };
  const code = await operate(
    {
      database,
      clock,
      registry,
      nodes,
      config: { rpc: [evm.rpcSettings] },
      keys: [evm.operator.address],
      print: (text) => {
        said.printed += text;
      },
      complain: (text) => {
        said.complained += text;
      },
    },
    args,
  );
  return { code, ...said, json: () => JSON.parse(said.printed) };
}

it('shows a sound installation on one screen', async () => {
  await gateway.pay();
  const answer = await run('status', '--json');
  expect(answer.complained).toBe('');
  expect(answer.code).toBe(0);
  expect(answer.json()).toMatchObject({
    chains: [{ chainId: gateway.evm.chainId, lagBlocks: '0', paused: false, halted: null }],
    senders: [{ sender: gateway.evm.operator.address.toLowerCase(), low: false }],
    books: [{ state: 'MATCH', payments: 1, drifting: 0 }],
  });
  expect((await run('status')).printed).toMatch(/^chains\n[\s\S]*^work\n[\s\S]*^senders\n[\s\S]*^books\n/m);
});

it('finds a payment that the database has wrong, and repairs it by a replay', async () => {
  const { id, signed } = await gateway.pay();
  await gateway.database.ledgerEntry.deleteMany({ where: { paymentIntentId: id } });
  const drifting = await run('status', '--json');
  expect(drifting.code).toBe(1);
  expect(drifting.json().books).toMatchObject([{ state: 'DRIFT', drifting: 1 }]);
  expect(drifting.complained).toMatch(/npm run verify -- --all/);
  const told = await gateway.events(id);
  const replayed = await run('replay', id, '--json');
  expect(replayed.json()).toMatchObject([{ termsHash: signed.id, factsMissed: 0, factsReplayed: 2 }]);
  await gateway.settleDown();
  expect(await gateway.left(id, signed)).toBe(signed.terms.amount);
  expect(await gateway.events(id)).toEqual(told);
  expect((await run('status')).code).toBe(0);
});

it('compares the registry with the tokens', async () => {
  const answer = await run('tokens', 'check', String(gateway.evm.chainId), '--json');
  expect(answer.complained).toBe('');
  expect(answer.json().tokens).toMatchObject([
    { token: gateway.evm.usdc.key, verdict: 'OK', symbol: 'USDC', permit: 'used', receive: 'used' },
    { token: gateway.evm.usdt.key, verdict: 'OK', symbol: 'USDT', permit: null, receive: null },
  ]);
  const { registry } = gateway;
  const chain = registry.chain(gateway.evm.chainId);
  if (!chain) throw new Error('The chain is not registered.');
  const tokens = chain.tokens.map((token) => ({ ...token, decimals: 7, permit: { name: 'Other', version: '1' } }));
  const said: string[] = [];
  const code = await operate(
    {
      ...gateway.action,
      registry: { ...registry, chain: () => ({ ...chain, tokens }) },
      keys: [],
      print: (text) => said.push(text),
      complain: (text) => said.push(text),
    },
    ['tokens', 'check', String(chain.chainId)],
  );
  expect(code).toBe(1);
  expect(said.join('\n')).toMatch(/decimals are 6; signs permit for another domain than Other 1/);
  expect(said.join('\n')).toMatch(/decimals are 6; has no permit/);
});

it('drains: takes no new payment, and says when all is done', async () => {
  const waiting = await gateway.sign(await gateway.intent());
  const early = await run('drain', '--wait-seconds', '0', '--json');
  expect(early.code).toBe(1);
  expect(early.complained).toMatch(/npm run ops -- pending/);
  expect(early.json().drain).toMatchObject([{ drained: false, openQuotes: 1 }]);
  await gateway.authorize(waiting);
  await gateway.settleDown();
  expect((await run('drain', '--wait-seconds', '0')).code).toBe(0);
  expect((await run('lag', '--json')).json()).toMatchObject([{ paused: true }]);
  await run('chain', 'resume', String(gateway.evm.chainId));
});

it('is ready while the chain is observed, and names what is stale, halted or missing', async () => {
  const { database, registry, evm } = gateway;
  let now = new Date();
  const readiness = openReadiness({ database, registry, clock: { now: () => now }, log: silentLog });
  await gateway.evm.mine();
  await gateway.observe();
  now = new Date();
  expect(await readiness()).toEqual([]);
  now = new Date(Date.now() + 300_000);
  expect(await readiness()).toEqual([
    expect.stringMatching(/^Chain 31337 .* was last observed 300 s ago\.$|30[01] s ago/),
  ]);
  now = new Date();
  const where = { chainId: evm.chainId };
  await database.chainCursor.update({ where, data: { haltedAt: now, haltReason: 'Two final facts are gone.' } });
  expect(await readiness()).toEqual([expect.stringContaining('is halted: Two final facts are gone.')]);
  await database.chainCursor.update({ where, data: { haltedAt: null, haltReason: null } });
});

it('tells metrics of the chain, the queue, the books and the nodes, and never a URL', async () => {
  const { database, registry, clock, evm } = gateway;
  const metrics = openMetrics({ part: 'worker', log: silentLog });
  const instruments = openInstruments(metrics);
  tellTables({ database, registry, clock, metrics });
  const secret = { ...evm.rpcSettings, urls: [`${evm.rpcUrl}/?key=SECRET`] };
  const nodes = openEvmNodes({ registry, rpc: [secret], observe: instruments.rpc });
  const config = { rpc: [{ ...evm.rpcSettings, lowBalanceWei: 10n ** 30n }] };
  instruments.senders(await readSenders({ database, nodes, registry, config }, { keys: [evm.operator.address] }));
  instruments.books(await checkBooks({ database, nodes, registry, clock }), clock.now());
  const text = await metrics.text();
  const chain = `chain_id="${evm.chainId}"`;
  const host = new URL(evm.rpcUrl).host;
  expect(text).toContain(`sluice_chain_lag_blocks{${chain},part="worker"} 0`);
  expect(text).toContain(`sluice_chain_halted{${chain},part="worker"} 0`);
  expect(text).toContain(`sluice_books_drifting_payments{${chain},part="worker"} 0`);
  expect(text).toMatch(new RegExp(`sluice_sender_low_balance\\{${chain},sender="0x[0-9a-f]{40}",part="worker"\\} 1`));
  expect(text).toMatch(new RegExp(`sluice_rpc_requests_total\\{${chain},provider="${host}",part="worker"\\} [1-9]`));
  expect(text).toMatch(/sluice_queue_jobs\{state="ready",part="worker"\} \d/);
  expect(text).toContain('sluice_scrape_failed{part="worker"} 0');
  expect(text).not.toContain('SECRET');
});

it('counts a node’s faults by kind, and answers of the next', async () => {
  const { registry, evm } = gateway;
  const calls: { provider: string; fault: string | null }[] = [];
  const rpc = [{ ...evm.rpcSettings, urls: ['http://127.0.0.1:9/', evm.rpcUrl] }];
  const nodes = openEvmNodes({ registry, rpc, observe: (call) => calls.push(call) });
  await nodes.asking(evm.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  expect(calls).toMatchObject([
    { provider: '127.0.0.1:9', fault: 'http' },
    { provider: new URL(evm.rpcUrl).host, fault: null },
  ]);
});

it('halts a chain that changed what was final, says so, and is repaired by the operator’s command', async () => {
  gateway = await openGateway();
  const { evm, database } = gateway;
  const { id } = await gateway.pay();
  await evm.mine(14);
  await gateway.observe();
  await gateway.observe();
  const [fact] = await database.chainFact.findMany({ where: { status: 'FINAL' }, orderBy: { blockNumber: 'desc' } });
  if (!fact) throw new Error('Nothing is final.');
  await evm.reorg(Number((await evm.publicClient.getBlockNumber()) - fact.blockNumber) + 1);
  for (let turn = 0; turn < 6; turn += 1) await gateway.observe();
  const halted = await run('status', '--json');
  expect(halted.code).toBe(1);
  expect(halted.json().chains).toMatchObject([{ halted: expect.stringMatching(/final facts are gone/) }]);
  expect(halted.complained).toMatch(/chain resync/);
  expect(await gateway.status(id)).toBe('CAPTURED');

  expect((await run('chain', 'resync', String(evm.chainId))).code).toBe(0);
  await gateway.settleDown();
  await gateway.observe();
  expect(await gateway.status(id)).toBe('CREATED');
  const mended = await run('status', '--json');
  expect(mended.json()).toMatchObject({ chains: [{ halted: null }], books: [{ state: 'MATCH' }] });
});
