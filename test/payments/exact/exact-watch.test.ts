/** Every open authorization is compared with the chain in each turn, however many there are. */
import { expect, it } from 'vitest';
import { newChainMemory, readChainView } from '../../../src/facts/chain-view.ts';
import { paymentKeyOf } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { newExactMemory, watchExact } from '../../../src/payments/x402/exact/watch-exact.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { type ExactGround, openExactGround } from './exact-ground.ts';

const limit = { timeout: 600_000 };
const patience = { timeout: 60_000 };

async function viewOf({ gateway }: ExactGround) {
  const chain = gateway.registry.chain(gateway.evm.chainId);
  if (!chain) throw new Error('The chain is not registered.');
  return await readChainView({ nodes: gateway.nodes, memory: newChainMemory() }, chain);
}

const watch = async (ground: ExactGround, page?: number) =>
  await watchExact(
    { ...ground.gateway.action, log: silentLog, memory: newExactMemory() },
    await viewOf(ground),
    page === undefined ? {} : { page },
  );

it('a use is settled in the turn that finds it, and not before it has the required confirmations', limit, async () => {
  for (const confirmations of [1, 3]) {
    const ground = await openExactGround({ confirmations });
    // The node's clock runs on until its next block, in which the authorization must still be valid.
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
    const { paymentIntentId } = await ground.settle(signed);
    await ground.frontRun(signed);
    await ground.gateway.observe();
    for (let more = 1; more < confirmations; more += 1) {
      expect(await ground.row(signed)).toMatchObject({ status: 'PENDING', txHash: expect.stringMatching(/^0x/) });
      await ground.gateway.evm.mine(1);
      await ground.gateway.observe();
    }
    expect(await ground.row(signed)).toMatchObject({ status: 'SETTLED' });
    expect(await ground.gateway.events(paymentIntentId ?? '')).toEqual(['created', 'pending', 'settled']);
  }
});

it('a use below the block of its verification is found up to 256 blocks, and otherwise reported', limit, async () => {
  const ground = await openExactGround();
  const { database, evm, action } = ground.gateway;
  const useBefore = async (blocks: number) => {
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
    await ground.settle(signed);
    await ground.frontRun(signed);
    await evm.mine(blocks);
    const fromNumber = await evm.publicClient.getBlockNumber();
    const { id } = await ground.row(signed);
    await database.exactAuthorization.update({ where: { id }, data: { fromNumber } });
    return { signed, id };
  };
  const { signed } = await useBefore(200);
  await ground.gateway.observe();
  expect(await ground.row(signed)).toMatchObject({ status: 'SETTLED' });

  const { id } = await useBefore(300);
  const errors: object[] = [];
  const log = { ...silentLog, error: (fields: object) => errors.push(fields) };
  const memory = newExactMemory();
  let now = Date.now();
  const turn = async () => {
    now += 61_000;
    const world = { ...action, clock: { now: () => new Date(now) }, log, memory };
    expect(await watchExact(world, await viewOf(ground))).toEqual([]);
  };
  for (let search = 1; search < 5; search += 1) await turn();
  expect(errors).toEqual([]);
  await turn();
  expect(errors).toEqual([{ chainId: evm.chainId, authorizationIds: [id] }]);
});

it('uses are found beyond the first page, also of authorizations that expire last', limit, async () => {
  const ground = await openExactGround();
  const now = await ground.chainTime();
  // Two expire at the same second, on either side of a page's end.
  const ends = [600n, 700n, 700n, 800n, 900n];
  const signed = await Promise.all(ends.map((seconds) => ground.sign({ validBefore: now + seconds })));
  for (const one of signed) await ground.settle(one);
  for (const one of signed) await ground.frontRun(one);
  // As in the turns of the projector: what a turn could not read is read again in the next one.
  const found = async () => {
    await watch(ground, 2);
    const rows = await Promise.all(signed.map(ground.row));
    return rows.filter(({ txHash }) => txHash !== null).length;
  };
  await expect.poll(found, patience).toBe(ends.length);
  const settled = async () => {
    await ground.gateway.observe();
    const rows = await Promise.all(signed.map(ground.row));
    return rows.filter(({ status }) => status === 'SETTLED').length;
  };
  await expect.poll(settled, patience).toBe(ends.length);
  for (const one of signed) expect(await ground.settle(one)).toMatchObject({ success: true });
});

it('transfers are sent again beyond the first page', limit, async () => {
  const ground = await openExactGround();
  const { database } = ground.gateway;
  const validBefore = (await ground.chainTime()) + 3_600n;
  const signed = await Promise.all([1, 2, 3].map(() => ground.sign({ validBefore })));
  for (const one of signed) await ground.settle(one);
  await database.outgoingTransaction.updateMany({
    where: { status: 'QUEUED' },
    data: { status: 'FAILED', error: 'x' },
  });
  const queues = async () => {
    await watch(ground, 1);
    return await Promise.all(signed.map(ground.queue));
  };
  await expect.poll(queues, patience).toEqual(signed.map(() => ['FAILED', 'QUEUED']));
  await watch(ground, 1);
  for (const one of signed) expect(await ground.queue(one)).toEqual(['FAILED', 'QUEUED']);
});

it('more expired authorizations than a page do not hold up one that is pending', limit, async () => {
  const ground = await openExactGround();
  const { gateway, token, app } = ground;
  // All earlier blocks may have been mined within one second.
  await gateway.evm.mine(50, 1);
  const { finalized, confirmed } = await viewOf(ground);
  expect(confirmed.timestamp).toBeGreaterThan(finalized.timestamp);
  const rows = Array.from({ length: 1_100 }, (_, number) => {
    const of = {
      token: token.address.toLowerCase(),
      payer: `0x${'7'.repeat(40)}`,
      nonce: `0x${number.toString(16).padStart(64, '0')}`,
    };
    return {
      ...of,
      id: newId(),
      appId: app.id,
      chainId: token.chainId,
      tokenKey: token.key,
      payTo: of.payer,
      amount: 1,
      validAfter: 0n,
      validBefore: finalized.timestamp + 1n,
      signature: '0x',
      paymentKey: paymentKeyOf(of),
      purpose: '0x',
      status: 'FAILED' as const,
      failure: 'EXPIRED' as const,
      fromNumber: 0n,
      feeBps: 0,
    };
  });
  await gateway.database.exactAuthorization.createMany({ data: rows });
  // Longer than the rows take: the node's clock runs on until its next block.
  const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
  await ground.settle(signed);
  await gateway.settleDown();
  expect(await ground.settle(signed)).toMatchObject({ success: true, replayed: false });
});
