import { isHex, parseEther } from 'viem';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendLimits } from '../../src/operator/outgoing-transaction.ts';
import { pumpTransactions } from '../../src/operator/pump-transactions.ts';
import { RELAY_SENDER } from '../../src/operator/relay.ts';
import type { SendingWorld } from '../../src/operator/sending-world.ts';
import { claimRelayed } from '../../src/operator/store.ts';
import { chainId, openSender, openSendingGround, sink } from './sending-ground.ts';

type Ground = Awaited<ReturnType<typeof openSendingGround>>;

/** Longer than a key may wait for its lowest nonce before it counts as stuck. */
const STUCK_MS = 2 * sendLimits.replaceAfterMs + 1_000;

/** Sender keys that know of each other, and what they pass on. */
async function openKeys(ground: Ground, { count, inFlight = 16 }: { count: number; inFlight?: number }) {
  const resting = new Set<number>();
  const woken: number[] = [];
  const opened = await Promise.all(Array.from({ length: count }, () => openSender(ground)));
  const keys = opened.map((sender, index) => {
    const relay: SendingWorld['relay'] = {
      isAlone: count === 1,
      isResting: () => resting.has(index),
      rest: () => resting.add(index).size === count,
      passOn: index + 1 < count ? () => woken.push(index + 1) : undefined,
    };
    const world = sender.openWorld({ relay, limits: { ...sendLimits, inFlight } });
    return { ...sender, address: sender.account.address, turn: () => pumpTransactions(world) };
  });
  const [first] = keys;
  if (!first) throw new Error('There is no key.');
  return {
    keys,
    resting,
    woken,
    relay: (purpose: string) => first.enqueue({ purpose, sender: RELAY_SENDER }),
    pass: (ms: number) => {
      for (const key of keys) key.pass(ms);
    },
  };
}

describe('relayed transactions', () => {
  let ground: Ground;
  const mine = (blocks = 1) => ground.admin.mine({ blocks });
  const received = () => ground.client.getBalance({ address: sink });
  const rows = (ids: readonly string[]) =>
    ground.database.outgoingTransaction.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } });
  /** The addresses that sent them, according to the chain. */
  const sentBy = async (ids: readonly string[]) =>
    await Promise.all(
      (await rows(ids)).map(async ({ txHash }) =>
        isHex(txHash) ? (await ground.client.getTransaction({ hash: txHash })).from : null,
      ),
    );

  beforeAll(async () => {
    ground = await openSendingGround();
  });
  beforeEach(async () => {
    await ground.database.outgoingTransaction.deleteMany({ where: { status: 'QUEUED' } });
    await ground.admin.setAutomine(false);
    await mine();
  });

  it('are taken by a key up to its in-flight limit, and then by the next key', async () => {
    const { keys, woken, relay } = await openKeys(ground, { count: 2, inFlight: 3 });
    const [one, two] = keys;
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await relay(`many ${index}`));
    expect((await rows(ids)).map(({ sender, relayed }) => `${sender} ${relayed}`)).toEqual(Array(5).fill('relay true'));
    const before = await received();
    await one?.turn();
    expect(woken).toEqual([1]);
    await two?.turn();
    await mine();
    expect(await sentBy(ids)).toEqual([one, one, one, two, two].map((key) => key?.account.address.toLowerCase()));
    expect(await received()).toBe(before + 5n);
  });

  it('are each sent once when several keys take them concurrently', async () => {
    const { keys, relay } = await openKeys(ground, { count: 3, inFlight: 4 });
    const ids = [];
    for (let index = 0; index < 20; index += 1) ids.push(await relay(`race ${index}`));
    const before = await received();
    await ground.admin.setAutomine(true);
    for (let round = 0; round < 10; round += 1) await Promise.all(keys.map((key) => key.turn()));
    expect(new Set((await rows(ids)).map(({ status }) => status))).not.toContain('QUEUED');
    expect(await received()).toBe(before + 20n);
    expect(new Set(await sentBy(ids)).size).toBeGreaterThan(1);
  });

  it('move away from a key without gas, and are reported as waiting if no key has any', async () => {
    const { keys, resting, woken, relay } = await openKeys(ground, { count: 2 });
    const [one, two] = keys;
    if (!one || !two) throw new Error('There are two keys.');
    await ground.admin.setBalance({ address: one.address, value: 0n });
    const ids = [await relay('unpaid 1'), await relay('unpaid 2')];
    await one.turn();
    expect(await rows(ids)).toMatchObject([{ sender: RELAY_SENDER }, { sender: RELAY_SENDER }]);
    expect(woken).toEqual([1]);
    await one.turn();
    expect(await rows(ids)).toMatchObject([{ sender: RELAY_SENDER }, { sender: RELAY_SENDER }]);
    await two.turn();
    await mine();
    expect(await sentBy(ids)).toEqual([two.address.toLowerCase(), two.address.toLowerCase()]);

    await ground.admin.setBalance({ address: two.address, value: 0n });
    const later = await relay('unpaid 3');
    await two.turn();
    expect(await rows([later])).toMatchObject([{ sender: RELAY_SENDER, status: 'QUEUED', waitsFor: 'GAS' }]);
    await ground.admin.setBalance({ address: one.address, value: parseEther('1') });
    resting.clear();
    await one.turn();
    await mine();
    expect(await rows([later])).toMatchObject([{ status: 'SENT', waitsFor: null }]);
    expect(await sentBy([later])).toEqual([one.address.toLowerCase()]);
  });

  it('move away from a stuck key, except those that it has already signed', async () => {
    const { keys, relay, pass } = await openKeys(ground, { count: 2 });
    const [one, two] = keys;
    if (!one || !two) throw new Error('There are two keys.');
    const before = await received();
    const signed = await relay('signed by the stuck key');
    await one.turn();
    const taken = await relay('taken by the stuck key');
    const key = { chainId, sender: one.address.toLowerCase() };
    await claimRelayed(ground.database, { ...key, now: new Date(), limit: 1 });
    const waiting = await relay('not taken yet');
    pass(STUCK_MS);
    await one.turn();
    expect(await rows([signed, taken, waiting])).toMatchObject([
      { status: 'SENT', sender: key.sender },
      { status: 'QUEUED', sender: RELAY_SENDER },
      { status: 'QUEUED', sender: RELAY_SENDER },
    ]);
    await two.turn();
    await mine();
    await one.turn();
    await two.turn();
    expect(await sentBy([signed, taken, waiting])).toEqual([
      key.sender,
      two.address.toLowerCase(),
      two.address.toLowerCase(),
    ]);
    expect(await received()).toBe(before + 3n);
  });

  it('stay with the only key when it is stuck or has no gas', async () => {
    const { keys, relay, pass } = await openKeys(ground, { count: 1 });
    const [only] = keys;
    if (!only) throw new Error('There is one key.');
    const first = await relay('first of the only key');
    await only.turn();
    pass(STUCK_MS);
    await only.turn();
    await ground.admin.setBalance({ address: only.address, value: 0n });
    const second = await relay('second of the only key');
    await only.turn();
    expect(await rows([second])).toMatchObject([{ sender: only.address.toLowerCase() }]);
    await ground.admin.setBalance({ address: only.address, value: parseEther('1') });
    pass(sendLimits.resendAfterMs + 1);
    await only.turn();
    await mine();
    await only.turn();
    expect(await sentBy([first, second])).toEqual([only.address.toLowerCase(), only.address.toLowerCase()]);
  });

  it('are not taken by a key that is not a sender key', async () => {
    const operator = await openSender(ground);
    const { relay } = await openKeys(ground, { count: 1 });
    const id = await relay('not for the operator');
    await operator.turn();
    expect(await rows([id])).toMatchObject([{ status: 'QUEUED', sender: RELAY_SENDER }]);
  });
});
