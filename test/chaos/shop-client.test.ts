import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { onTeardown } from '../setup/teardown.ts';
import { type Answers, openShopClient } from './shop-client.ts';

type Answer = { status: number; body: string };

async function answering(...answers: Answer[]): Promise<{ origin: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    const { status, body } =
      answers.length > 1 ? (answers.shift() ?? { status: 500, body: '' }) : (answers[0] ?? { status: 500, body: '' });
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const refusal = { success: false, error: { code: 'INVALID_STATE', message: 'It is settled.', requestId: '1' } };
const fault = { success: false, error: { code: 'CHAIN_UNAVAILABLE', message: 'No node.', requestId: '2' } };
const request = { method: 'POST', path: '/payments/intents', body: {} } as const;

it('returns a rejection as a result', async () => {
  const { origin, keys } = await answering({ status: 409, body: JSON.stringify(refusal) });
  const answers: Answers = new Map();
  const client = openShopClient({ origin, key: 'k', answers }, { patienceMs: 60_000 });
  await expect(client.call(z.unknown(), request)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(keys).toHaveLength(1);
  expect([...answers]).toEqual([['INVALID_STATE', 1]]);
});

it('repeats temporary failures with the same key', async () => {
  const { origin, keys } = await answering(
    { status: 502, body: JSON.stringify(fault) },
    { status: 200, body: 'not JSON' },
    { status: 200, body: JSON.stringify({ success: true, data: { id: 'x' } }) },
  );
  const answers: Answers = new Map();
  const client = openShopClient({ origin, key: 'k', answers }, { patienceMs: 60_000 });
  expect(await client.call(z.object({ id: z.string() }), request)).toEqual({ id: 'x' });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect([...answers]).toEqual([
    ['CHAIN_UNAVAILABLE', 1],
    ['no answer', 1],
    ['ok', 1],
  ]);
});

it('the demo’s client reports the error of the gateway', async () => {
  const { origin } = await answering({ status: 409, body: JSON.stringify(refusal) });
  const client = openGatewayClient({ restUrl: origin, secretKey: 'k' }, 10_000);
  await expect(client.call(z.unknown(), request)).rejects.toThrow('INVALID_STATE: It is settled.');
});
