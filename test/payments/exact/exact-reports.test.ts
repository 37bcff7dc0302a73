import { expect, it } from 'vitest';
import { readBookedBalances } from '../../../src/payments/reports/read-balances.ts';
import { readPayouts } from '../../../src/payments/reports/read-payouts.ts';
import { readReconciliation } from '../../../src/payments/reports/reconciliation/read-reconciliation.ts';
import { checkEveryBook } from '../../../src/payments/verification/check-every-book.ts';
import { openExactGround } from './exact-ground.ts';

it('appears in balances, payouts and the reconciliation, in which books and chain agree until an entry is changed', async () => {
  const ground = await openExactGround();
  const { gateway } = ground;
  const { database, registry } = gateway;
  const signed = await ground.sign();
  const { paymentIntentId } = await ground.settle(signed);
  await ground.settle(await ground.sign(), { by: ground.forOther() });
  await gateway.settleDown();
  const scope = { merchantId: gateway.scope.merchantId, appId: gateway.app.id };
  const period = { from: new Date(0), to: new Date(Date.now() + 86_400_000) };
  const request = { scope, period } as Parameters<typeof readReconciliation>[1];
  const world = { database, registry };
  const all = async <Row>(pages: AsyncGenerator<Row[]>): Promise<Row[]> => {
    const rows: Row[] = [];
    for await (const page of pages) rows.push(...page);
    return rows;
  };
  expect(await readBookedBalances(world, request)).toMatchObject([
    { received: 10_000n, returned: 0n, settled: 10_000n, fees: 0n, closingEscrow: 0n },
  ]);
  expect(await all(readPayouts(world, request))).toMatchObject([
    { type: 'TRANSFER', recipient_role: 'MERCHANT', amount_base_units: '10000' },
  ]);
  const rows = await all(readReconciliation(world, request));
  expect(rows).toMatchObject([
    { row: 'TRANSFER', type: 'TRANSFER', payment_intent_ids: paymentIntentId, amount_base_units: '10000' },
    { row: 'DAY', payout_address: gateway.evm.merchant.address, transfer_count: 1, closing_base_units: '10000' },
  ]);
  expect(await checkEveryBook(world, { secondLookMs: 1 })).toMatchObject({ payments: 1, faults: [] });
  await database.ledgerEntry.updateMany({ where: { account: 'MERCHANT' }, data: { amount: 9_999 } });
  expect((await all(readReconciliation(world, request))).map(({ row }) => row)).toContain('DIFFERENCE');
  expect((await checkEveryBook(world, { secondLookMs: 1 })).faults.length).toBeGreaterThan(0);
});
