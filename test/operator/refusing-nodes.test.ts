/** Answers of nodes to a sent transaction, injected before a real node. Nothing is lost or sent twice. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcCall } from '../../src/chains/rpc-call.ts';
import { type Injected, openRpcGate, type RpcGate } from '../setup/chains/rpc-gate.ts';
import { chainId, openSender, openSendingGround, sink } from './sending-ground.ts';

let ground: Awaited<ReturnType<typeof openSendingGround>>;
let gate: RpcGate;
let calls: RpcCall[];

beforeAll(async () => {
  ground = await openSendingGround();
  gate = await openRpcGate(ground.rpcUrl);
});
beforeEach(async () => {
  await ground.admin.setAutomine(false);
  calls = [];
  gate.inject = () => undefined;
});

/** A sender whose pump reaches the node through the gate. */
async function openGatedSender() {
  const rpc = [
    {
      chainId,
      urls: [gate.url],
      confirmations: undefined,
      pollingIntervalMs: 100,
      relayMinimumUsd: '0',
      maxFeePerGasWei: 10n ** 12n,
      startBlock: undefined,
    },
  ];
  const builtIn = loadRegistry({ rpc: [] }).chain(1);
  if (!builtIn) throw new Error('Ethereum is not built in.');
  const registry = { ...loadRegistry({ rpc: [] }), chain: () => ({ ...builtIn, chainId }) };
  const nodes = openEvmNodes({ registry, rpc, observe: (call) => calls.push(call) });
  const sender = await openSender(ground);
  sender.world.client = nodes.client(chainId);
  return sender;
}

const sends = (injected: Injected) => (method: string) => (method === 'eth_sendRawTransaction' ? injected : undefined);
const error = (code: number, message: string): Injected => ({ body: { error: { code, message } } });
const received = () => ground.client.getBalance({ address: sink });

describe('a key without gas', () => {
  it('records since when its signed transactions wait for gas, until the key has some', async () => {
    const sender = await openSender(ground);
    const { address } = sender.account;
    await ground.admin.setBalance({ address, value: 0n });
    const id = await sender.enqueue({ purpose: 'poor', valueWei: 0n });
    await sender.turn();
    const { waitsSince } = await sender.row(id);
    expect(await sender.row(id)).toMatchObject({ status: 'SIGNED', waitsFor: 'GAS', waitsSince: expect.any(Date) });
    await sender.turn(60_000);
    expect(await sender.row(id)).toMatchObject({ status: 'SIGNED', waitsFor: 'GAS', waitsSince });
    await ground.admin.setBalance({ address, value: 10n ** 18n });
    await sender.turn(60_000);
    expect(await sender.row(id)).toMatchObject({ status: 'SENT', waitsFor: null });
  });

  it('keeps its queued transactions waiting if the node reports a lack of gas, until the key has some', async () => {
    const sender = await openGatedSender();
    const enqueue = (purpose: string) => sender.enqueue({ purpose, valueWei: 0n });
    const ids = [await enqueue('poor:1'), await enqueue('poor:2')];
    const rows = () => Promise.all(ids.map(sender.row));
    gate.inject = (method) =>
      method === 'eth_estimateGas'
        ? error(-32000, 'insufficient funds for gas * price + value: have 0 want 1')
        : undefined;
    await sender.turn();
    const first = await rows();
    for (const row of first) expect(row).toMatchObject({ status: 'QUEUED', waitsFor: 'GAS', failures: 0, error: null });
    await sender.turn(60_000);
    expect((await rows()).map(({ waitsSince }) => waitsSince)).toEqual(first.map(({ waitsSince }) => waitsSince));
    // With coin, but at fees above the cap, it is no longer the coin that they wait for.
    gate.inject = () => undefined;
    const { chain } = sender.world;
    sender.world.chain = { ...chain, maxFeePerGasWei: 1n };
    await sender.turn();
    for (const row of await rows()) expect(row).toMatchObject({ status: 'QUEUED', waitsFor: null });
    sender.world.chain = chain;
    await sender.turn();
    for (const row of await rows()) expect(row).toMatchObject({ status: 'SENT', waitsFor: null });
  });
});

describe('a node that answers a transaction with', { timeout: 120_000 }, () => {
  it.each([
    ['already_known', error(-32000, 'already known')],
    ['nonce_used', error(-32000, 'nonce too low: next nonce 1, tx nonce 0')],
  ] as const)('%s is asked for the transaction, which is resent later if no node has it', async (kind, injected) => {
    const sender = await openGatedSender();
    const before = await received();
    const id = await sender.enqueue({ purpose: `known:${kind}` });
    gate.inject = sends(injected);
    await sender.turn();
    expect((await sender.row(id)).status).toBe('SENT');
    expect(calls.filter((call) => call.refusal === kind)).toHaveLength(1);
    expect(calls.filter((call) => call.fault !== null)).toEqual([]);
    // The node had lied: the very same transaction goes out when it is due again.
    gate.inject = () => undefined;
    await sender.turn(sender.world.limits.resendAfterMs + 1_000);
    await ground.admin.mine({ blocks: 1 });
    await sender.turn();
    await sender.turn();
    expect((await sender.row(id)).attempts).toHaveLength(1);
    expect(await received()).toBe(before + 1n);
  });

  it('underpriced receives it again with higher fees and the same nonce, with one effect', async () => {
    const sender = await openGatedSender();
    const before = await received();
    const id = await sender.enqueue({ purpose: 'underpriced' });
    gate.inject = sends(error(-32000, 'replacement transaction underpriced'));
    await sender.turn();
    expect((await sender.row(id)).status).toBe('SIGNED');
    expect(calls.filter((call) => call.refusal === 'underpriced')).toHaveLength(1);
    gate.inject = () => undefined;
    await sender.turn(sender.world.limits.replaceAfterMs + 1_000);
    await ground.admin.mine({ blocks: 1 });
    await sender.turn();
    await sender.turn();
    const row = await sender.row(id);
    expect(new Set(row.attempts.map((attempt) => attempt.nonce)).size).toBe(1);
    expect(await received()).toBe(before + 1n);
  });

  it.each([
    ['rate_limited', { status: 429, body: 'slow down' }],
    ['http', { status: 502, body: 'bad gateway' }],
    ['garbage', { body: '<html>' }],
    ['missing', { body: { result: null } }],
    ['garbage', { body: { result: '0x12' } }],
    ['rpc', error(-32000, 'something that nobody knows')],
  ] as const)('%s (%j) receives the stored transaction again in the next turn', async (kind, injected) => {
    const sender = await openGatedSender();
    const before = await received();
    const id = await sender.enqueue({ purpose: `fault:${kind}:${JSON.stringify(injected)}` });
    gate.inject = sends(injected);
    await expect(sender.turn()).rejects.toThrow();
    expect((await sender.row(id)).status).toBe('SIGNED');
    expect(calls.some((call) => call.fault === kind)).toBe(true);
    gate.inject = () => undefined;
    await sender.turn();
    expect((await sender.row(id)).status).toBe('SENT');
    await ground.admin.mine({ blocks: 1 });
    await sender.turn();
    expect((await sender.row(id)).attempts).toHaveLength(1);
    expect(await received()).toBe(before + 1n);
  });
});
