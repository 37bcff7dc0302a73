import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAbiItem, toEventSelector } from 'viem';
import { expect, it } from 'vitest';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { seeded } from '../setup/database/seeded.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';
import { faultNames, planBlows } from './faults.ts';
import { openNodeProxy } from './node-proxy.ts';
import { recoveryTable } from './recovery.ts';
import { planStory } from './stories.ts';

const choices = { names: faultNames, chainIds: [31337, 31338], appIds: ['a', 'b'], longestSeconds: 60 };

function blowsOf(seed: number, count: number) {
  const blows = planBlows(seeded(seed), choices);
  return Array.from({ length: count }, () => blows.next().value);
}

it('plans the same faults for the same seed, and other faults for another seed', () => {
  expect(blowsOf(7, 50)).toEqual(blowsOf(7, 50));
  expect(blowsOf(7, 50)).not.toEqual(blowsOf(8, 50));
});

it('includes every fault once per round, for 5 to 60 seconds if it has a duration', () => {
  const blows = blowsOf(7, faultNames.length * 2).flatMap((blow) => blow ?? []);
  for (const round of [blows.slice(0, faultNames.length), blows.slice(faultNames.length)]) {
    expect(round.map(({ fault }) => fault).toSorted()).toEqual(faultNames.toSorted());
  }
  for (const { fault, seconds } of blows) {
    const isMomentary = fault.startsWith('kill') || fault === 'reorganization';
    if (isMomentary) expect(seconds).toBe(0);
    else expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThanOrEqual(60);
  }
});

it('plans refunds and disputes only if the timelock is long enough', () => {
  const shops = [false, false, true].map((isPatient, index) => ({ isPatient, name: String(index) }) as never);
  const chance = seeded(7);
  const plans = Array.from({ length: 200 }, () => planStory(chance, shops));
  for (const { kind, shop } of plans) expect(shop === 2).toBe(['refund', 'refund-part', 'dispute'].includes(kind));
});

it('prints a row for each fault with the median and the maximum', () => {
  const times = [1_000, 3_000, 2_000].map((ms) => ({ answersMs: ms, readyMs: ms, moneyMs: ms }));
  const lost = { answersMs: 100, readyMs: 100, moneyMs: null };
  const table = recoveryTable([
    ...times.map((one) => ({ fault: 'kill -9 api', seconds: 0, ...one })),
    { fault: 'database cut', seconds: 9, ...lost },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| database cut | 1 | 0.1 | 0.1 | 0.1 | 0.1 | never | never |',
    '| kill -9 api | 3 | 2.0 | 3.0 | 2.0 | 3.0 | 2.0 | 3.0 |',
  ]);
});

it('a node behind its proxy fails, returns wrong results and recovers', async () => {
  const topic = toEventSelector(getAbiItem({ abi: escrowAbi, name: 'Captured' }));
  const logs = [{ topics: ['0x01'] }, { topics: [topic] }, { topics: ['0x02'] }];
  let block = 10;
  const node = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_getLogs' ? logs : `0x${(block++).toString(16)}` }),
    );
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const proxy = await openNodeProxy({ port: await freePort(), nodeUrl });
  onTeardown(async () => {
    await proxy.close();
    node.closeAllConnections();
    node.close();
  });
  const ask = async (method: string) => {
    const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ id: 1, method, params: [] }) });
    return { status: response.status, text: await response.text() };
  };
  const resultOf = async (method: string) => JSON.parse((await ask(method)).text).result;
  expect(await resultOf('eth_getLogs')).toEqual(logs);
  proxy.misbehave('429');
  expect((await ask('eth_blockNumber')).status).toBe(429);
  proxy.misbehave('5xx');
  expect((await ask('eth_blockNumber')).status).toBe(503);
  proxy.misbehave('garbage');
  expect((await ask('eth_blockNumber')).text).toContain('<html>');
  proxy.misbehave('half-logs');
  expect(await resultOf('eth_getLogs')).toEqual([logs[1]]);
  proxy.misbehave('no-captures');
  expect(await resultOf('eth_getLogs')).toEqual([logs[0], logs[2]]);
  proxy.misbehave('frozen');
  const newest = await resultOf('eth_blockNumber');
  expect(await resultOf('eth_blockNumber')).toBe(newest);
  proxy.misbehave('hang');
  const hanging = ask('eth_blockNumber').catch(() => 'broken off');
  const first = await Promise.race([hanging, new Promise((resolve) => setTimeout(resolve, 500, 'still waiting'))]);
  expect(first).toBe('still waiting');
  proxy.misbehave(undefined);
  expect(await hanging).toBe('broken off');
  expect(await resultOf('eth_blockNumber')).not.toBe(newest);
});
