/** A database that is lost after its backup is restored as documented in docs/operations.md. */
import { beforeAll, expect, it } from 'vitest';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { resyncChain } from '../../src/facts/resync-chain.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { openPumps } from '../../src/main/open-sending.ts';
import { verify } from '../../src/operations/verify.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { putRows, takeRows } from '../setup/database/copy-database.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database/database.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';

let gateway: Gateway;
let restored: FreshDatabase;

beforeAll(async () => {
  [gateway, restored] = await Promise.all([openGateway(), freshDatabase()]);
});

function refund(world: Gateway['action'], id: string, amount: string) {
  const key = `${id} ${amount}`;
  const idempotency = idempotencyRequest({
    scopeId: gateway.app.id,
    operation: 'test',
    parameters: {},
    sealedUnder: openSecretKeys({}).answers,
    headerKey: key,
  });
  return refundPaymentIntent(world, { scope: gateway.scope, id, reason: 'Asked for', amount, idempotency });
}

async function verdict(world: Gateway['action']): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await verify({ ...world, print: (line) => lines.push(line) }, { args: ['--all'] });
  return { code, lines };
}

it('recovers the chain’s activity since the backup, and sends transactions with unused nonces', async () => {
  const { evm } = gateway;
  const { chainId } = evm;
  const paid = await gateway.pay();
  const waiting = await gateway.intent();
  const signed = await gateway.sign(waiting);
  const rows = await takeRows(gateway.url);
  // After the backup: a refund from our key, which uses a nonce, and a payment.
  await refund(gateway.action, paid.id, '1000000');
  await gateway.authorize(signed);
  await gateway.settleDown();
  expect(await gateway.remainingAmount(paid.id, paid.signed)).toBe(9_000_000n);

  await putRows(restored.adminUrl, rows);
  const { database } = restored;
  const world = { ...gateway.action, database };
  const read = (id: string) => database.paymentIntent.findUniqueOrThrow({ where: { id } });
  expect(await read(waiting.id)).toMatchObject({ status: 'CREATED' });
  const before = await verdict(world);
  expect(before.code).toBe(1);

  await resyncChain({ database }, { chainId });
  const projector = { ...gateway.projector, database, handlers: factTable(world), memory: newProjectorMemory() };
  const observe = async () => {
    for (;;) if (!(await observeChain(projector, { chainId })).behind) return;
  };
  await observe();
  expect(await verdict(world)).toMatchObject({
    code: 0,
    lines: expect.arrayContaining([expect.stringMatching(/MATCH/)]),
  });
  expect(await read(waiting.id)).toMatchObject({ status: 'CAPTURED' });
  expect((await read(paid.id)).leftAmount?.toFixed()).toBe('9000000');

  const pump = openPumps({ ...world, locks: gateway.locks, limits: gateway.limits });
  const sender = gateway.action.operator.address.toLowerCase();
  const moved = await gateway.gained(async () => {
    await refund(world, paid.id, '2000000');
    await expect
      .poll(
        async () => {
          await pump({ chainId, sender });
          await observe();
          return (await read(paid.id)).leftAmount?.toFixed();
        },
        { timeout: 60_000 },
      )
      .toBe('7000000');
  });
  expect(moved).toEqual({ payer: 2_000_000n, merchant: 0n, fee: 0n, escrow: -2_000_000n });
  expect((await verdict(world)).code).toBe(0);
}, 120_000);
