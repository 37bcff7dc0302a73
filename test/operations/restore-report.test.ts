/** A restore of a dump made during payments: what it restores from the chain, and what it reports as lost. */
import { beforeAll, expect, it } from 'vitest';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { resyncChain } from '../../src/facts/resync-chain.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { operate } from '../../src/operations/operate.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { idempotencyRequest } from '../../src/platform/idempotency/idempotency-request.ts';
import { newId } from '../../src/platform/identifier.ts';
import { followRenewalPayments } from '../../src/subscriptions/renewal/follow-renewal-payments.ts';
import { putRows, takeRows } from '../setup/database/copy-database.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database/database.ts';
import { openRenewals, type Renewals } from '../subscriptions/renewal-ground.ts';

let ground: Renewals;
let restored: FreshDatabase;

beforeAll(async () => {
  [ground, restored] = await Promise.all([openRenewals(), freshDatabase()]);
});

function refund(id: string, amount: string) {
  const idempotency = idempotencyRequest({
    scopeId: ground.app.id,
    operation: 'test',
    parameters: {},
    sealedUnder: openSecretKeys({}).answers,
    headerKey: `${id} ${amount}`,
  });
  return refundPaymentIntent(ground.action, { scope: ground.scope, id, reason: 'Asked for', amount, idempotency });
}

async function ops(...args: string[]) {
  const output = { printed: '', complained: '' };
  const { clock, registry, nodes, evm } = ground;
  const world = { database: restored.database, clock, registry, nodes, config: { rpc: [evm.rpcSettings] } };
  const code = await operate(
    {
      ...world,
      keys: [evm.operator.address],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    [...args, '--json'],
  );
  return { code, ...output, answer: JSON.parse(output.printed || 'null') };
}

/** The rows of the section whose heading begins with this text. */
async function section(heading: string): Promise<Record<string, unknown>[]> {
  const { answer } = await ops('restore-report');
  const name = Object.keys(answer).find((each) => each.startsWith(heading));
  return name === undefined ? [] : answer[name];
}

async function observe(): Promise<void> {
  const { database } = restored;
  const handlers = factTable({ ...ground.action, database });
  const projector = { ...ground.projector, database, handlers, memory: newProjectorMemory() };
  for (;;) if (!(await observeChain(projector, { chainId: ground.evm.chainId })).behind) return;
}

it('restores refunds, payments and periods from the chain, and reports what it cannot restore', async () => {
  const { database, evm, app } = ground;
  await ground.allow(evm.payers[0]);
  const subscription = await ground.subscribe({ interval: 'MONTH' });
  const paid = await ground.pay();
  const waiting = await ground.intent();
  const member = await database.member.create({
    data: { id: newId(), merchantId: ground.scope.merchantId, email: 'ada@example.com', role: 'OWNER' },
  });
  const expiresAt = new Date(ground.clock.now().getTime() + 1_000_000_000);
  const session = await database.memberSession.create({
    data: { id: newId(), memberId: member.id, expiresAt, createdAt: expiresAt },
  });

  const [rows] = await Promise.all([takeRows(ground.url), ground.pay()]);
  const { lastSequence: atDump } = await database.eventCursor.findUniqueOrThrow({ where: { appId: app.id } });
  // After the dump: a refund, terms for an intent that the dump has, an intent that it has not, and two renewals.
  await refund(paid.id, '1000000');
  const signed = await ground.sign(waiting);
  await ground.authorize(signed);
  await ground.settleDown();
  const lost = await ground.pay();
  await ground.goTo(subscription.trialEnd);
  const { currentPeriodEnd } = await ground.subscriptionOf(subscription.id);
  if (!currentPeriodEnd) throw new Error('The subscription was not renewed.');
  await ground.goTo(currentPeriodEnd);
  const periods = (await ground.invoices(subscription.id)).map(({ status, periodStart, periodEnd, total }) => ({
    status,
    periodStart,
    periodEnd,
    total: total.toFixed(2),
  }));
  expect(periods.map(({ status }) => status)).toEqual(['PAID', 'PAID']);

  await putRows(restored.adminUrl, rows);
  const early = await ops('restore-report');
  expect([early.code, early.complained]).toEqual([1, expect.stringContaining('restore-begin')]);
  expect((await ops('restore-begin')).answer).toMatchObject([{ sequenceGap: 1_000_000, sessions: 1 }]);
  const after = restored.database;
  expect(await after.memberSession.findUnique({ where: { id: session.id } })).toMatchObject({
    revokedAt: expect.any(Date),
  });

  await resyncChain({ database: after }, { chainId: evm.chainId });
  await observe();
  const [refunded] = await after.refund.findMany({ where: { paymentIntentId: paid.id } });
  expect(refunded).toMatchObject({ status: 'CONFIRMED', reason: expect.stringContaining('Found on the chain') });
  expect([refunded?.amount.toFixed(), refunded?.leftoverAfter.toFixed()]).toEqual(['1000000', '9000000']);
  expect(await section('Refunds')).toMatchObject([{ paymentIntentId: paid.id, amount: '1000000' }]);

  // The copy was made during a payment, which may be among them.
  const recoverable = await section('Payments of intents');
  expect(recoverable.map(({ termsHash }) => termsHash)).toContain(signed.id);
  expect(await section('Charges of subscriptions')).toHaveLength(2);
  const unknown = (await section('Payments for intents')).map(({ termsHash }) => termsHash);
  expect(unknown).toContain(lost.signed.id);
  expect((await ops('restore-report')).complained).toContain(`${recoverable.length + 2} payments can be recovered`);

  expect((await ops('restore-recover')).code).toBe(0);
  await observe();
  expect(await after.paymentIntent.findUnique({ where: { id: waiting.id } })).toMatchObject({ status: 'SETTLED' });
  const invoices = () =>
    after.invoice.findMany({ where: { subscriptionId: subscription.id }, orderBy: { periodStart: 'asc' } });
  for (const { paymentIntentId } of await invoices()) {
    await followRenewalPayments({ ...ground.action, database: after }, { paymentIntentIds: [paymentIntentId ?? ''] });
  }
  expect(
    (await invoices()).map(({ status, periodStart, periodEnd, total }) => ({
      status,
      periodStart,
      periodEnd,
      total: total.toFixed(2),
    })),
  ).toEqual(periods);
  const renewed = await ground.subscriptionOf(subscription.id);
  expect(await after.subscription.findUnique({ where: { id: subscription.id } })).toMatchObject({
    status: 'ACTIVE',
    currentPeriodStart: renewed.currentPeriodStart,
    currentPeriodEnd: renewed.currentPeriodEnd,
  });
  const attempts = await after.renewalAttempt.findMany({ where: { subscriptionId: subscription.id } });
  expect(attempts.map(({ status }) => status)).toEqual(['PAID', 'PAID']);

  const report = await ops('restore-report');
  expect([report.code, report.complained]).toEqual([0, '']);
  expect((await section('Payments for intents')).map(({ termsHash }) => termsHash)).toEqual(unknown);
  expect((await ops('restore-recover')).answer.map((row: { paymentIntentId: unknown }) => row.paymentIntentId)).toEqual(
    unknown.map(() => null),
  );
  // A sequence number that was published with another event is not reused.
  const events = await after.event.findMany({ where: { appId: app.id }, orderBy: { sequence: 'asc' } });
  const added = events.filter(({ sequence }) => sequence > atDump);
  expect(added.length).toBeGreaterThan(5);
  expect(added.every(({ sequence }) => sequence > 1_000_000n)).toBe(true);
  expect(await section('Event sequences')).toHaveLength(1);
}, 240_000);
