/** Responses of the API while the nodes of a chain fail. Each failure is injected in front of a real node. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openInstruments } from '../../../src/operations/metrics/instruments.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMetrics } from '../../../src/platform/metrics.ts';
import { type CheckoutGround, openCheckoutGround } from '../../checkout/checkout-ground.ts';
import { type Injected, openRpcGate, type RpcGate } from '../../setup/chains/rpc-gate.ts';

const error = (code: number, message: string): Injected => ({ body: { error: { code, message } } });

/** The failures that are tested with two nodes, one for each class that sets a node aside. */
const ONE_OF_EACH = new Set(['HTTP 429', 'HTTP 500', 'a cut connection', 'HTML', 'another chain id']);

/** The gate's responses by class, to every request or to those of the named methods. */
const rows: [kind: string, name: string, injected: Injected, methods?: RegExp][] = [
  ['rate_limited', 'HTTP 429', { status: 429, body: 'slow down' }],
  ['rate_limited', '429 in a JSON-RPC body', error(429, 'Your app has exceeded its capacity')],
  ['rate_limited', '-32005 in a JSON-RPC body', error(-32005, 'limit exceeded')],
  ['rate_limited', '429 with a JSON-RPC body', { status: 429, body: { error: { code: -32000, message: 'no' } } }],
  ['http', 'HTTP 500', { status: 500, body: 'broken' }],
  ['http', 'HTTP 503 with a JSON-RPC body', { status: 503, body: { error: { code: -32000, message: 'away' } } }],
  ['http', 'HTTP 401', { status: 401, body: '{"message":"unknown key"}' }],
  ['unreachable', 'a cut connection', 'break'],
  ['garbage', 'HTML', { body: '<html>welcome</html>' }],
  ['garbage', 'nothing', { body: '' }],
  ['garbage', 'an empty object', { body: '{}' }],
  ['garbage', 'a list', { body: '[]' }],
  ['garbage', 'JSON null', { body: 'null' }],
  ['garbage', 'an error that is a string', { body: { error: 'slow down' } }],
  ['garbage', 'a result of another shape', { body: { result: { balance: 5 } } }, /getBalance|call|getBlock/],
  ['garbage', 'results that cannot be read', { body: { result: '0x1234' } }, /eth_call/],
  ['missing', '`result: null`', { body: { result: null } }],
  ['missing', 'a block that is not there any more', error(-32000, 'header not found'), /getBalance|call|getBlock/],
  ['rpc', 'an internal error', error(-32603, 'Internal error'), /getBalance|call|getBlock/],
  ['rpc', 'an error that nobody knows', error(-32000, 'the moon is in the wrong house'), /getBalance|call|getBlock/],
  ['unsupported', 'an unknown method', error(-32601, 'method not found'), /getBalance|call|getBlock/],
  ['wrong_chain', 'another chain id', { body: { result: '0x1' } }, /chainId/],
];

const { metrics, instruments } = openMeasured();
const observers = { observe: instruments.rpc, onUnavailable: instruments.chainUnavailable };

function openMeasured() {
  const opened = openMetrics({ part: 'api', log: silentLog });
  return { metrics: opened, instruments: openInstruments(opened) };
}

async function count(name: string, kind: string): Promise<number> {
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines
    .filter((line) => line.includes(`kind="${kind}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const BALANCE =
  'query ($chainId: Int!, $address: String!, $tokenKey: String!) { balance(chainId: $chainId, address: $address, tokenKey: $tokenKey) { balance } }';

/** The three kinds of API calls that read a chain. */
function callers(ground: CheckoutGround) {
  const { api, evm } = ground;
  const address = evm.payers[0].address;
  const key = api.merchantA.secretKey;
  return {
    async balance() {
      const path = `/balance?chainId=${evm.chainId}&address=${address}&tokenKey=USDC-${evm.chainId}`;
      const { status, body } = await api.rest('GET', path, { key });
      return { status, code: body.error?.code };
    },
    async graphql() {
      const variables = { chainId: evm.chainId, address, tokenKey: `USDC-${evm.chainId}` };
      const { errors } = await api.graphql(BALANCE, variables, { key });
      const extensions = errors?.[0]?.extensions;
      return { status: extensions?.http.status ?? 200, code: extensions?.code, retryable: extensions?.retryable };
    },
    async prepare() {
      const session = await ground.openSession();
      const input = { tokenKey: `USDC-${evm.chainId}`, walletAddress: address, method: 'DIRECT' };
      const { status, body } = await ground.prepare(session, input);
      return { status, code: body.error?.code };
    },
  };
}

function answerBy(gate: RpcGate, injected: Injected, methods = /./): void {
  gate.inject = (method) => (methods.test(method) ? injected : undefined);
}

describe('the only node of a chain', { timeout: 120_000 }, () => {
  let ground: CheckoutGround;
  let gate: RpcGate;

  beforeAll(async () => {
    ground = await openCheckoutGround({
      observers,
      nodesOf: async (rpcUrl) => {
        gate = await openRpcGate(rpcUrl);
        // Before the first request to the node, so that its chain is not known yet.
        answerBy(gate, { body: { result: '0x1' } }, /chainId/);
        return gate.url;
      },
    });
  });

  it.each(rows.toReversed())(
    'makes the chain unavailable without an internal error after %s: %s',
    async (kind, _name, injected, methods) => {
      answerBy(gate, injected, methods);
      const before = await count('sluice_chain_unavailable_total', kind);
      const { balance, graphql, prepare } = callers(ground);
      expect(await prepare()).toEqual({ status: 502, code: 'CHAIN_UNAVAILABLE' });
      expect(await balance()).toEqual({ status: 502, code: 'CHAIN_UNAVAILABLE' });
      expect(await graphql()).toEqual({ status: 502, code: 'CHAIN_UNAVAILABLE', retryable: true });
      expect(await count('sluice_chain_unavailable_total', kind)).toBeGreaterThan(before);
      gate.inject = () => undefined;
      expect(await balance()).toEqual({ status: 200, code: undefined });
      expect(await prepare()).toEqual({ status: 200, code: undefined });
    },
  );

  it('makes the chain unavailable if it does not respond', async () => {
    answerBy(gate, 'hang');
    const before = await count('sluice_rpc_errors_total', 'timeout');
    expect(await callers(ground).prepare()).toEqual({ status: 502, code: 'CHAIN_UNAVAILABLE' });
    expect(await count('sluice_rpc_errors_total', 'timeout')).toBeGreaterThan(before);
    gate.inject = () => undefined;
    expect((await callers(ground).prepare()).status).toBe(200);
  });
});

describe('one failing node of two', { timeout: 120_000 }, () => {
  const aside = rows.filter(([kind]) =>
    ['rate_limited', 'http', 'unreachable', 'garbage', 'wrong_chain'].includes(kind),
  );
  let ground: CheckoutGround;
  let bad: RpcGate;
  let good: RpcGate;

  beforeEach(async () => {
    ground = await openCheckoutGround({
      observers,
      nodesOf: async (rpcUrl) => {
        [bad, good] = await Promise.all([openRpcGate(rpcUrl), openRpcGate(rpcUrl)]);
        return `${bad.url},${good.url}`;
      },
    });
  });

  it.each([
    ['timeout', 'hanging', 'hang' as const] as (typeof rows)[number],
    ...aside.filter(([, name]) => ONE_OF_EACH.has(name)),
  ])('is set aside after %s: %s, and the other one is used', async (kind, _name, injected, methods) => {
    answerBy(bad, injected, methods);
    const errors = await count('sluice_rpc_errors_total', kind);
    const { balance, graphql, prepare } = callers(ground);
    expect(await balance()).toEqual({ status: 200, code: undefined });
    expect(await count('sluice_rpc_errors_total', kind)).toBeGreaterThan(errors);
    bad.asked = [];
    expect(await prepare()).toEqual({ status: 200, code: undefined });
    expect(await graphql()).toEqual({ status: 200, code: undefined, retryable: undefined });
    expect(bad.asked).toEqual([]);
  });

  it('is used again after it has recovered', async () => {
    answerBy(bad, { status: 500, body: 'broken' });
    const { balance } = callers(ground);
    expect((await balance()).status).toBe(200);
    bad.inject = () => undefined;
    bad.asked = [];
    // Every request checks whether the time has passed. The caller never waits for the node that was set aside.
    await expect
      .poll(async () => (await balance()).status === 200 && bad.asked.includes('eth_call'), {
        timeout: 60_000,
        interval: 250,
      })
      .toBe(true);
  });

  it('is used again after an error that concerns a single request', async () => {
    answerBy(bad, error(-32000, 'header not found'), /eth_call/);
    const { balance } = callers(ground);
    expect((await balance()).status).toBe(200);
    bad.asked = [];
    expect((await balance()).status).toBe(200);
    expect(bad.asked).toContain('eth_call');
    expect(good.asked).toContain('eth_call');
  });
});
