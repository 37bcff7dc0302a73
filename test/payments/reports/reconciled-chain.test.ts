/** The reconciliation of payments on a real chain equals what the merchant's address holds there. */
import { erc20Abi } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { claimForCall, disputeCall, resolveCall, settleCall } from '../../../src/escrow/calldata.ts';
import { readReconciliation } from '../../../src/payments/reports/reconciliation/read-reconciliation.ts';
import type { Row } from '../../../src/payments/reports/report.ts';
import { openPayoutsGround, type PayoutsGround } from '../payouts/payouts-ground.ts';

let ground: PayoutsGround;

beforeAll(async () => {
  ground = await openPayoutsGround();
});

async function report(): Promise<Row[]> {
  const rows: Row[] = [];
  const { merchantId } = await ground.database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  const scope = { merchantId, appId: ground.app.id };
  const period = { from: new Date('2020-01-01'), to: new Date('2099-01-01') };
  for await (const page of readReconciliation(ground, { scope, period })) rows.push(...page);
  return rows;
}

const held = () =>
  ground.evm.publicClient.readContract({
    address: ground.evm.usdc.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [ground.evm.merchant.address],
  });

test('a settlement, a dispute share, a credit and the claim that delivers it', async () => {
  const { evm, stranger } = ground;
  const { escrow, merchant, usdc } = evm;
  const before = await held();
  const settled = await ground.pay();
  const disputed = await ground.pay({ amount: 3_000_000n });
  await ground.send(evm.payers[0], disputeCall({ escrow, terms: disputed.signed.terms }));
  await ground.send(evm.arbiter, resolveCall({ escrow, terms: disputed.signed.terms, payerBps: 4000 }));
  await ground.passTime(110);
  await ground.send(stranger, settleCall({ escrow, terms: settled.signed.terms }));
  const blocked = [await ground.pay({ amount: 5_000_000n }), await ground.pay({ amount: 7_000_000n })];
  await ground.block(merchant.address);
  await ground.passTime(110);
  for (const { signed } of blocked) await ground.send(stranger, settleCall({ escrow, terms: signed.terms }));
  await ground.observe();
  const undelivered = await report();
  expect(undelivered.filter(({ row }) => row === 'TRANSFER').map(({ type }) => type)).toEqual(['RESOLVE', 'SETTLE']);
  await ground.unblock(merchant.address);
  const claim = await ground.send(stranger, claimForCall({ escrow, recipient: merchant.address, token: usdc.address }));
  await ground.observe();

  const rows = await report();
  const transfers = rows.filter(({ row }) => row === 'TRANSFER');
  expect(transfers).toMatchObject([
    { type: 'RESOLVE', payment_intent_ids: disputed.id, payout_address: merchant.address },
    { type: 'SETTLE', payment_intent_ids: settled.id, amount_base_units: '9900000', amount_tokens: '9.9' },
    {
      type: 'CLAIM',
      payment_intent_ids: blocked.map(({ id }) => id).join(' '),
      tx_hash: claim,
      logged_base_units: '11880000',
    },
  ]);
  expect(rows.filter(({ row }) => row === 'DIFFERENCE')).toEqual([]);
  const received = (await held()) - before;
  const day = rows.findLast(({ row }) => row === 'DAY');
  expect([day?.closing_base_units, day?.transfer_count]).toEqual([String(received), transfers.length]);
});
