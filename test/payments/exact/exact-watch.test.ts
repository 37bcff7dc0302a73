/** Every open authorization is compared with the chain in each turn, however many there are. */
import { expect, it } from 'vitest';
import { newChainMemory, readChainView } from '../../../src/facts/chain-view.ts';
import { paymentKeyOf } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { watchExact } from '../../../src/payments/x402/exact/watch-exact.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { type ExactGround, openExactGround } from './exact-ground.ts';

const limit = { timeout: 240_000 };

async function viewOf({ gateway }: ExactGround) {
  const chain = gateway.registry.chain(gateway.evm.chainId);
  if (!chain) throw new Error('The chain is not registered.');
  return await readChainView({ nodes: gateway.nodes, memory: newChainMemory() }, chain);
}

const watch = async (ground: ExactGround, page?: number) =>
  await watchExact(
    { ...ground.gateway.action, log: silentLog },
    await viewOf(ground),
    page === undefined ? {} : { page },
  );

it('uses are found beyond the first page, also of authorizations that expire last', limit, async () => {
  const ground = await openExactGround();
  const now = await ground.chainTime();
  // Two expire at the same second, on either side of a page's end.
  const ends = [600n, 700n, 700n, 800n, 900n];
  const signed = await Promise.all(ends.map((seconds) => ground.sign({ validBefore: now + seconds })));
  for (const one of signed) await ground.settle(one);
  for (const one of signed) await ground.frontRun(one);
  await watch(ground, 2);
  for (const one of signed) expect((await ground.row(one)).txHash).toMatch(/^0x/);
  await ground.gateway.observe();
  for (const one of signed) expect(await ground.settle(one)).toMatchObject({ success: true });
});

it('transfers are sent again beyond the first page', limit, async () => {
  const ground = await openExactGround();
  const { database } = ground.gateway;
  const signed = await Promise.all([1, 2, 3].map(() => ground.sign()));
  for (const one of signed) await ground.settle(one);
  await database.outgoingTransaction.updateMany({
    where: { status: 'QUEUED' },
    data: { status: 'FAILED', error: 'x' },
  });
  await watch(ground, 1);
  for (const one of signed) expect(await ground.queue(one)).toEqual(['FAILED', 'QUEUED']);
  await watch(ground, 1);
  for (const one of signed) expect(await ground.queue(one)).toEqual(['FAILED', 'QUEUED']);
});

it('more expired authorizations than a page do not hold up one that is pending', limit, async () => {
  const ground = await openExactGround();
  const { gateway, token, app } = ground;
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
  const signed = await ground.sign();
  await ground.settle(signed);
  await gateway.settleDown();
  expect(await ground.settle(signed)).toMatchObject({ success: true, replayed: false });
});
