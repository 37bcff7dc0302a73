/** Nodes that fail over HTTP, before a real one: down, hanging, refusing, failing, and what a second URL is good for. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import type { RpcCall } from '../../src/chains/rpc-call.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { type Ground, openGround, projectorWorld } from '../payments/ground.ts';
import { onTeardown } from '../setup/teardown.ts';

const faults = {
  'is down': (response: ServerResponse) => response.destroy(),
  'answers 429': (response: ServerResponse) => response.writeHead(429, { 'retry-after': '0' }).end(),
  'answers 500': (response: ServerResponse) => response.writeHead(500).end('broken'),
  'answers something else than JSON': (response: ServerResponse) => response.writeHead(200).end('<html>'),
  hangs: () => undefined,
} satisfies Record<string, (response: ServerResponse) => unknown>;
type Fault = keyof typeof faults;

let ground: Ground;
let gate: { url: string; fault: Fault | null; asked: number };

beforeAll(async () => {
  ground = await openGround();
  gate = await openGate(ground.evm.rpcUrl);
});

/** Passes requests on to the node, or fails as it is told. */
async function openGate(node: string) {
  const state = { url: '', fault: null as Fault | null, asked: 0 };
  const server = createServer(async (request, response) => {
    state.asked += 1;
    if (state.fault) return faults[state.fault](response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(node, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

function openProjector(urls: string[], observe?: (call: RpcCall) => void) {
  const { registry, evm } = ground;
  const nodes = openEvmNodes({ registry, rpc: [{ ...evm.rpcSettings, urls }], observe });
  const world = projectorWorld({ ...ground, nodes, source: openLogSource({ nodes, registry }) });
  return () => observeChain({ ...world, memory: newProjectorMemory() }, { chainId: evm.chainId });
}

async function pay(): Promise<string> {
  const intent = await ground.intent();
  await ground.authorize(await ground.sign(intent));
  return intent.id;
}

const status = async (id: string) => (await ground.read(id)).status;

describe.each(Object.keys(faults) as Fault[])('a node that %s', (fault) => {
  it('is replaced by the next node and not asked again for a while', { timeout: 120_000 }, async () => {
    const calls: RpcCall[] = [];
    const look = openProjector([gate.url, ground.evm.rpcUrl], (call) => calls.push(call));
    const id = await pay();
    gate.fault = fault;
    gate.asked = 0;
    await look();
    expect(await status(id)).toBe('CAPTURED');
    expect(gate.asked).toBe(1);
    expect(calls.filter((call) => call.fault !== null)).toHaveLength(1);
    gate.fault = null;
  });
});

describe.each(['is down', 'answers 429', 'answers 500'] as Fault[])('the only node, that %s,', (fault) => {
  it('does not change anything, and missed payments are applied when it recovers', { timeout: 120_000 }, async () => {
    const look = openProjector([gate.url]);
    const id = await pay();
    gate.fault = fault;
    await expect(look()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await status(id)).toBe('CREATED');
    gate.fault = null;
    await look();
    expect(await status(id)).toBe('CAPTURED');
    expect(await ground.events(id)).toEqual(['authorized', 'captured']);
  });
});
