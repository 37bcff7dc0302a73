import { beforeAll, expect, it } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import type { RpcCall } from '../../src/chains/rpc-call.ts';
import { runProjector } from '../../src/facts/run-projector.ts';
import { checkBooks } from '../../src/operations/check-books.ts';
import { openReadiness } from '../../src/operations/health/read-readiness.ts';
import { openInstruments } from '../../src/operations/metrics/instruments.ts';
import { registerTableGauges } from '../../src/operations/metrics/table-gauges.ts';
import { operate } from '../../src/operations/operate.ts';
import { readSenders } from '../../src/operations/read-senders.ts';
import { enqueueTransaction } from '../../src/operator/enqueue-transaction.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
  await gateway.observe();
});

async function run(...args: string[]) {
  const { database, clock, registry, nodes, evm } = gateway;
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      database,
      clock,
      registry,
      nodes,
      config: { rpc: [evm.rpcSettings] },
      keys: [evm.operator.address],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    args,
  );
  return { code, ...output, json: () => JSON.parse(output.printed) };
}

/** The instruments of a running part. */
function openMeasured() {
  const metrics = openMetrics({ part: 'worker', log: silentLog });
  return { metrics, instruments: openInstruments(metrics) };
}

it('shows a healthy installation on one screen', async () => {
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

it('finds a payment with a wrong state in the database and repairs it with a replay', async () => {
  const { id, signed } = await gateway.pay();
  await gateway.database.ledgerEntry.deleteMany({ where: { paymentIntentId: id } });
  const drifting = await run('status', '--json');
  expect(drifting.code).toBe(1);
  expect(drifting.json().books).toMatchObject([{ state: 'DRIFT', drifting: 1 }]);
  expect(drifting.complained).toMatch(/npm run verify -- --all/);
  const { metrics, instruments } = openMeasured();
  const drift = `sluice_books_drifting_payments{chain_id="${gateway.evm.chainId}",part="worker"}`;
  const compare = async () => instruments.books(await checkBooks(gateway), gateway.clock.now());
  await compare();
  expect(await metrics.text()).toContain(`${drift} 1\n`);
  const events = await gateway.events(id);
  const replayed = await run('replay', id, '--json');
  expect(replayed.json()).toMatchObject([{ termsHash: signed.id, factsMissed: 0, factsReplayed: 2 }]);
  await gateway.settleDown();
  expect(await gateway.remainingAmount(id, signed)).toBe(signed.terms.amount);
  expect(await gateway.events(id)).toEqual(events);
  expect((await run('status')).code).toBe(0);
  await compare();
  expect(await metrics.text()).toContain(`${drift} 0\n`);
});

it('compares the registry with the tokens on the chain', async () => {
  const answer = await run('tokens', 'check', String(gateway.evm.chainId), '--json');
  expect(answer.complained).toBe('');
  expect(answer.json().tokens).toMatchObject([
    { token: gateway.evm.usdc.key, verdict: 'OK', symbol: 'USDC', permit: 'used', receive: 'used' },
    { token: gateway.evm.usdt.key, verdict: 'OK', symbol: 'USDT', permit: null, receive: null },
    { token: `DAI-${gateway.evm.chainId}`, verdict: 'OK', symbol: 'DAI', permit: 'used', receive: null },
  ]);
  const { registry } = gateway;
  const chain = registry.chain(gateway.evm.chainId);
  if (!chain) throw new Error('The chain is not registered.');
  const tokens = chain.tokens.map((token) => ({ ...token, decimals: 7, permit: { name: 'Other', version: '1' } }));
  const printed: string[] = [];
  const code = await operate(
    {
      ...gateway.action,
      registry: { ...registry, chain: () => ({ ...chain, tokens }) },
      keys: [],
      print: (text) => printed.push(text),
      complain: (text) => printed.push(text),
    },
    ['tokens', 'check', String(chain.chainId)],
  );
  expect(code).toBe(1);
  expect(printed.join('\n')).toMatch(/decimals are 6; signs permit for a domain other than Other 1/);
  expect(printed.join('\n')).toMatch(/decimals are 6; has no permit/);
});

it('drains: accepts no new payments and reports when all work is done', async () => {
  const intent = await gateway.intent();
  const waiting = await gateway.sign(intent);
  const early = await run('drain', '--wait-seconds', '0', '--json');
  expect(early.code).toBe(1);
  expect(early.complained).toMatch(/npm run ops -- pending/);
  expect(early.json().drain).toMatchObject([{ drained: false, openQuotes: 1 }]);
  await gateway.authorize(waiting);
  await gateway.settleDown();
  // The chain is paused for new payments, but a payment in progress continues.
  expect(await gateway.status(intent.id)).toBe('CAPTURED');
  expect((await run('drain', '--wait-seconds', '0')).code).toBe(0);
  expect((await run('lag', '--json')).json()).toMatchObject([{ paused: true }]);
  await run('chain', 'resume', String(gateway.evm.chainId));
});

it('is ready despite faults of a chain, and names what is stale, halted or missing', async () => {
  const { database, registry, evm } = gateway;
  let now = new Date();
  const readiness = openReadiness({ database, registry, clock: { now: () => now }, log: silentLog });
  const notes = async () => {
    expect(await readiness({ verbose: false })).toEqual({ faults: [], notes: [] });
    const read = await readiness({ verbose: true });
    expect(read.faults).toEqual([]);
    return read.notes;
  };
  const troubled = async () => {
    const { metrics } = openMeasured();
    registerTableGauges({ database, registry, clock: { now: () => now }, metrics });
    return (await metrics.text()).includes(`sluice_chain_troubled{chain_id="${evm.chainId}",part="worker"} 1\n`);
  };
  await gateway.evm.mine();
  await gateway.observe();
  now = new Date();
  expect(await notes()).toEqual([expect.stringMatching(/^Chain 31337 .* is healthy\.$/)]);
  expect(await troubled()).toBe(false);
  now = new Date(Date.now() + 300_000);
  expect(await notes()).toEqual([expect.stringMatching(/^Chain 31337 .* was last observed (29\d|30\d) s ago\.$/)]);
  expect(await troubled()).toBe(true);
  now = new Date();
  const where = { chainId: evm.chainId };
  await database.chainCursor.update({ where, data: { haltedAt: now, haltReason: 'Two final facts are gone.' } });
  expect(await notes()).toEqual([expect.stringContaining('is halted: Two final facts are gone.')]);
  expect(await troubled()).toBe(true);
  await database.chainCursor.update({ where, data: { haltedAt: null, haltReason: null, pausedAt: now } });
  expect(await notes()).toEqual([
    expect.stringMatching(/ is healthy\.$/),
    'New payments on chain 31337 are paused by an operator.',
  ]);
  await database.chainCursor.update({ where, data: { pausedAt: null } });
});

it('exports metrics of the chain, the queue, the books and the nodes, but no URL', async () => {
  const { database, registry, clock, evm } = gateway;
  const { metrics, instruments } = openMeasured();
  registerTableGauges({ database, registry, clock, metrics });
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

it('counts the faults of a node by kind, and the responses of the next node', async () => {
  const { registry, evm } = gateway;
  const { metrics, instruments } = openMeasured();
  const calls: { provider: string; fault: string | null }[] = [];
  const rpc = [{ ...evm.rpcSettings, urls: ['http://127.0.0.1:9/', evm.rpcUrl] }];
  const observe = (call: RpcCall) => {
    calls.push(call);
    instruments.rpc(call);
  };
  const nodes = openEvmNodes({ registry, rpc, observe });
  await nodes.asking(evm.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  const host = new URL(evm.rpcUrl).host;
  expect(calls).toMatchObject([
    { provider: '127.0.0.1:9', fault: 'unreachable' },
    // The request for its chain id, and then the actual one.
    { provider: host, fault: null },
    { provider: host, fault: null },
  ]);
  const samples = (await metrics.text())
    .split('\n')
    .filter((line) => /^sluice_rpc_(requests|errors)_total\{/.test(line));
  const labels = (provider: string) => `chain_id="${evm.chainId}",provider="${provider}"`;
  expect(samples).toEqual([
    `sluice_rpc_requests_total{${labels('127.0.0.1:9')},part="worker"} 1`,
    `sluice_rpc_requests_total{${labels(host)},part="worker"} 2`,
    `sluice_rpc_errors_total{${labels('127.0.0.1:9')},kind="unreachable",part="worker"} 1`,
  ]);
});

it('counts the turns, facts and reorganizations of a running projector, and pending transactions', async () => {
  const { database, registry, clock, evm, projector, locks } = gateway;
  const { metrics, instruments } = openMeasured();
  registerTableGauges({ database, registry, clock, metrics });
  const chain = `chain_id="${evm.chainId}"`;
  const value = async (name: string, ...labels: string[]) => {
    const line = `${name}{${[chain, ...labels, 'part="worker"'].join()}} `;
    const found = (await metrics.text()).split('\n').find((candidate) => candidate.startsWith(line));
    return found === undefined ? null : Number(found.slice(line.length));
  };
  const applied = (kind: string) => value('sluice_facts_applied_total', `kind="${kind}"`);
  const patience = { timeout: 60_000 };
  const running = runProjector(
    { ...projector, locks, observer: instruments.projector },
    { chains: [{ chainId: evm.chainId, intervalMs: 50 }] },
  );
  const intent = await gateway.intent();
  await gateway.authorize(await gateway.sign(intent));
  await expect.poll(() => gateway.status(intent.id), patience).toBe('CAPTURED');
  // They are counted after the commit.
  await expect.poll(() => applied('Captured'), patience).toBe(1);
  expect(await applied('Authorized')).toBe(1);
  expect(await value('sluice_reorganisations_total')).toBe(null);
  await evm.reorg(1);
  await expect.poll(() => gateway.status(intent.id), patience).toBe('CREATED');
  await expect.poll(() => value('sluice_reorganisations_total'), patience).toBe(1);
  // A turn is counted when it ends.
  await expect.poll(() => value('sluice_projector_turns_total'), patience).toBeGreaterThan(1);
  const turns = (await value('sluice_projector_turns_total')) ?? 0;
  await expect.poll(() => value('sluice_projector_turns_total'), patience).toBeGreaterThan(turns);
  await running.stop();
  const all = await value('sluice_projector_turns_total');
  expect(await value('sluice_reorganised_facts_total')).toBe(
    await database.chainFact.count({ where: { status: 'ORPHANED' } }),
  );
  expect(await value('sluice_projector_waiting_groups')).toBe(0);
  // A stopped projector makes no more turns.
  expect(await value('sluice_projector_turns_total')).toBe(all);

  const queued = { status: 'QUEUED' } as const;
  const waiting = await database.outgoingTransaction.count({ where: queued });
  await transaction(database, (tx) =>
    enqueueTransaction(tx, {
      chainId: evm.chainId,
      sender: evm.operator.address,
      to: evm.merchant.address,
      data: '0x',
      purpose: 'counted',
    }),
  );
  expect(await value('sluice_outgoing_transactions', 'status="QUEUED"')).toBe(waiting + 1);
  await gateway.settleDown();
  expect(await value('sluice_outgoing_transactions', 'status="QUEUED"')).toBe(waiting === 0 ? null : waiting);
});

it('halts a chain whose final blocks changed, reports it, and is repaired by the operator’s command', async () => {
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
