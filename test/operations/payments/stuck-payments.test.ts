/** `ops payments stuck` on an EVM chain: each cause as its flow produces it, and its end. */
import { erc20Abi, maxUint256 } from 'viem';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { authorizeWithAllowanceCall, settleCall } from '../../../src/escrow/calldata.ts';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import { termsTypedData } from '../../../src/escrow/terms.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { openDispute } from '../../../src/payments/actions/open-dispute.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { resolveDispute } from '../../../src/payments/actions/resolve-dispute.ts';
import { requestAuthorization } from '../../../src/payments/transactions/request-authorization.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openPayoutsGround, type PayoutsGround } from '../../payments/payouts/payouts-ground.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { runAt, type StuckRow, stuckAt } from './stuck-ground.ts';

let ground: PayoutsGround;
beforeAll(async () => {
  ground = await openPayoutsGround();
});

/** Settles what earlier tests left in escrow, so that nothing waits. */
beforeEach(async () => {
  await ground.unblock(ground.evm.merchant.address);
  await ground.passTime(6 * 3600 + 60);
  await ground.settleDown();
});

/** Ignores age: the gateway's clock is ahead of the database's, so that every transaction is hours old. */
const stuck = (...args: string[]) => stuckAt(ground, '--minutes', '43200', ...args);
/** Includes old transactions, which every transaction is now. */
const withOld = () => stuckAt(ground);
const causes = (rows: readonly StuckRow[]) => rows.map(({ waitsFor, cause }) => `${waitsFor} ${cause}`);
const refund = (id: string) => refundPaymentIntent(ground.action, { scope: ground.scope, id, reason: 'Returned' });

/** A payment that our transaction collects from the payer's allowance, queued as a checkout queues it. */
async function relay(fields: { authorizeBy?: number; amount?: bigint } = {}, signs = true) {
  const { evm, database } = ground;
  const intent = await ground.intent();
  const signed = await ground.sign(intent, fields);
  const { terms, operatorSignature } = signed;
  const [payer, other] = evm.payers;
  const typed = termsTypedData({ chainId: evm.chainId, escrow: evm.escrow, terms });
  const payerSignature = await evm.walletFor((signs ? payer : other).privateKey).signTypedData(typed);
  await transaction(database, (tx) =>
    requestAuthorization(tx, {
      paymentIntentId: intent.id,
      chainId: evm.chainId,
      termsHash: signed.id,
      call: authorizeWithAllowanceCall({ escrow: evm.escrow, terms, operatorSignature, payerSignature }),
      amount: terms.amount,
      sender: evm.operator.address,
    }),
  );
  await ground.turnPumps();
  return intent.id;
}

/** Approves the escrow as the payer of every payment. */
const allow = async (amount: bigint = maxUint256) => {
  const { evm } = ground;
  const request = { address: evm.usdc.address, abi: erc20Abi, functionName: 'approve' } as const;
  const hash = await evm.walletFor(evm.payers[0].privateKey).writeContract({ ...request, args: [evm.escrow, amount] });
  await evm.publicClient.waitForTransactionReceipt({ hash });
};

/** Deletes the rows of a relay, so that later tests do not see them. */
async function forget(id: string): Promise<void> {
  const steps = await ground.database.transaction.findMany({ where: { paymentIntentId: id } });
  const ids = steps.map((step) => step.id);
  await ground.database.outgoingTransaction.deleteMany({ where: { transactionId: { in: ids } } });
  await ground.database.transaction.deleteMany({ where: { id: { in: ids } } });
}

describe('the list without stuck payments', () => {
  it('is a sentence for people and an empty list for programs', async () => {
    await ground.pay();
    expect(await runAt(ground, 'payments', 'stuck')).toEqual({ code: 0, printed: 'Nothing.', complained: '' });
    expect(await stuck()).toEqual([]);
  });

  it('takes six statements', async () => {
    const statements = await countStatements(() => stuck('--chain', String(ground.evm.chainId)));
    expect(statements).toHaveLength(6);
  });
});

describe('the list of payments that wait for money', () => {
  it('includes a transaction of a key without gas until the key receives some', async () => {
    const { testClient, operator, publicClient, chainId } = ground.evm;
    const { id } = await ground.pay();
    const value = await publicClient.getBalance({ address: operator.address });
    await testClient.setBalance({ address: operator.address, value: 1n });
    await refund(id);
    const since = ground.clock.now().getTime();
    await ground.turnPumps();
    const [row, ...others] = await stuck();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      waitsFor: 'MONEY',
      cause: 'GAS',
      of: 'payment',
      id,
      appId: ground.app.id,
      chainId,
      amount: '10',
      unit: 'USDC',
      why: `REFUND: The key ${operator.address} does not have enough of the coin to pay for gas.`,
      do: expect.stringMatching(/^Send ETH on .+ to the key named in the cause/),
    });
    expect(Math.abs(Date.parse(row?.since ?? '') - since)).toBeLessThan(20_000);
    // It is not an undelivered payout. The alarm of senders reports it.
    expect(JSON.parse((await runAt(ground, 'payouts', '--json')).printed)).toEqual([]);
    await testClient.setBalance({ address: operator.address, value });
    await ground.settleDown();
    expect(await stuck()).toEqual([]);
    expect(await ground.status(id)).toBe('REFUNDED');
  });

  it('includes a payer’s balance or allowance if the token rejects the transfer', async () => {
    const tooMuch = 10n ** 30n;
    const poor = await relay({ amount: tooMuch });
    expect(await stuck()).toMatchObject([
      { waitsFor: 'MONEY', cause: 'PAYER_BALANCE', id: poor, unit: 'USDC', amount: String(10n ** 24n) },
    ]);
    await forget(poor);
    await allow(1n);
    const id = await relay();
    const [row] = await stuck();
    expect(row).toMatchObject({ waitsFor: 'ALLOWANCE', cause: 'PAYER_ALLOWANCE', id, amount: '10', unit: 'USDC' });
    expect(row?.why).toMatch(/^AUTHORIZE: AllowanceTooLow\(1, 10000000\)$/);
    expect(row?.do).toMatch(/^Ask the payer to approve the escrow for USDC/);
    await allow();
    await ground.passTime(120);
    await ground.settleDown();
    expect(await stuck()).toEqual([]);
    expect(await ground.status(id)).toBe('CAPTURED');
  });
});

describe('the list of payments that wait for a recipient', () => {
  it('includes a waiting settlement of the merchant, and then the share that the escrow keeps', async () => {
    const { merchant, escrow, chainId } = ground.evm;
    const { id, signed } = await ground.pay();
    await ground.block(merchant.address);
    await ground.passTime(110);
    await ground.settleDown();
    const { timelockEndsAt } = await ground.read(id);
    expect(await stuck()).toMatchObject([
      {
        waitsFor: 'RECIPIENT',
        cause: 'SETTLEMENT',
        id,
        chainId,
        amount: '10',
        unit: 'USDC',
        since: timelockEndsAt?.toISOString(),
        why: expect.stringContaining('the merchant cannot be paid at present. The next check is at 20'),
        do: expect.stringContaining('settles automatically as soon as it can'),
      },
    ]);
    await ground.send(ground.stranger, settleCall({ escrow, terms: signed.terms }));
    await ground.observe();
    const [row, ...others] = await stuck();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ waitsFor: 'RECIPIENT', cause: 'UNDELIVERED', id, amount: '9.9', unit: 'USDC' });
    expect(row?.why).toBe(`The merchant ${merchant.address} could not be paid, and the escrow keeps its share.`);
    // The command that it names works unchanged.
    const command = /npm run ops -- (.+) --note <words>$/.exec(row?.do ?? '')?.[1]?.split(' ') ?? [];
    expect((await runAt(ground, ...command, '--note', 'The issuer knows.')).code).toBe(0);
    expect(await stuck()).toMatchObject([
      {
        cause: 'UNDELIVERED',
        why: expect.stringContaining('Acknowledged: The issuer knows.'),
        do: expect.stringMatching(/^Do nothing/),
      },
    ]);
    await ground.unblock(merchant.address);
    await ground.passTime(6 * 3600 + 60);
    await ground.settleDown();
    expect(await stuck()).toEqual([]);
  });
});

describe('the list of payments that wait for a person', () => {
  it('includes a dispute before its deadline', async () => {
    const { id, signed } = await ground.pay();
    const typed = disputeTypedData({ chainId: ground.evm.chainId, escrow: ground.evm.escrow, id: signed.id });
    const signature = await ground.evm.walletFor(ground.evm.payers[0].privateKey).signTypedData(typed);
    await openDispute(ground.action, { scope: ground.scope, id, reason: 'Never arrived', signature });
    await ground.settleDown();
    const dispute = await ground.database.dispute.findUniqueOrThrow({ where: { paymentIntentId: id } });
    expect(await stuck()).toMatchObject([
      {
        waitsFor: 'PERSON',
        cause: 'DISPUTE',
        id,
        amount: '10',
        since: dispute.createdAt.toISOString(),
        why: `A dispute is open. Its deadline is ${dispute.deadline.toISOString()}.`,
      },
    ]);
    await resolveDispute(ground.action, { disputeId: dispute.id, payerBps: 10_000, by: { kind: 'arbiter' } });
    expect(await stuck()).toEqual([]);
    await ground.settleDown();
  });

  it('includes a manual capture when its deadline is near', async () => {
    const { id, signed } = await ground.pay({ captureOnAuthorize: false });
    expect(await stuck('--capture-hours', '1')).toEqual([]);
    const deadline = new Date(signed.terms.captureBy * 1000).toISOString();
    expect(await stuck()).toMatchObject([
      {
        waitsFor: 'PERSON',
        cause: 'CAPTURE',
        id,
        amount: '10',
        why: expect.stringContaining(`deadline is ${deadline}`),
      },
    ]);
    await cancelPaymentIntent(ground.action, { scope: ground.scope, id });
    expect(await stuck()).toEqual([]);
    await ground.settleDown();
  });

  it('includes an old transaction that is not sent or is in no block', async () => {
    const { testClient } = ground.evm;
    const { id } = await ground.pay();
    await refund(id);
    expect(await stuck()).toEqual([]);
    expect(await withOld()).toMatchObject([
      { cause: 'UNSENT', id, amount: '10', why: 'REFUND is queued but has not been sent.' },
    ]);
    await testClient.setAutomine(false);
    await ground.turnPumps();
    expect(await stuck()).toEqual([]);
    const [row] = await withOld();
    expect(row).toMatchObject({ waitsFor: 'PERSON', cause: 'UNMINED', id });
    expect(row?.do).toContain(`MAX_FEE_PER_GAS_WEI_${ground.evm.chainId}`);
    await testClient.setAutomine(true);
    await ground.evm.mine(1);
    await ground.settleDown();
    expect(await withOld()).toEqual([]);
  });

  it('includes a call that a contract keeps rejecting, and one that was given up', async () => {
    const refused = await relay({}, false);
    expect(await stuck()).toEqual([]);
    const [row] = await withOld();
    expect(row).toMatchObject({ waitsFor: 'PERSON', cause: 'REFUSED', id: refused });
    expect(row?.why).toMatch(/^AUTHORIZE: InvalidPayerSignature\(/);
    // The command that it names works unchanged, and gives the transaction up.
    const command = /npm run ops -- (.+) --reason <words>$/.exec(row?.do ?? '')?.[1]?.split(' ') ?? [];
    expect((await runAt(ground, ...command, '--reason', 'A wrong signature.')).code).toBe(0);
    expect(causes(await withOld())).not.toContain('PERSON REFUSED');
    await forget(refused);

    const gone = await relay({}, false);
    await ground.database.outgoingTransaction.updateMany({ where: { status: 'QUEUED' }, data: { status: 'FAILED' } });
    const [given] = await stuck();
    expect(given).toMatchObject({ waitsFor: 'PERSON', cause: 'GIVEN_UP', id: gone, amount: '10' });
    expect(given?.why).toMatch(/^AUTHORIZE was given up: InvalidPayerSignature\(/);
    await forget(gone);
  });

  it('is empty after the deadline for authorization', async () => {
    const late = await relay({ authorizeBy: 1 });
    const row = await ground.database.outgoingTransaction.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect([row.status, row.error]).toEqual(['FAILED', expect.stringMatching(/^AuthorizeByPassed\(/)]);
    expect(await stuck()).toEqual([]);
    await forget(late);
  });

  it('includes a paused or halted chain', async () => {
    const { chainId } = ground.evm;
    const { id } = await ground.pay();
    await runAt(ground, 'chain', 'pause', String(chainId));
    const [paused, ...others] = await stuck();
    expect(others).toEqual([]);
    expect(paused).toMatchObject({
      waitsFor: 'PERSON',
      cause: 'CHAIN_PAUSED',
      of: 'chain',
      id: String(chainId),
      chainId,
    });
    expect(paused?.why).toContain('1 payment is in escrow on it');
    expect(paused?.do).toContain(`npm run ops -- chain resume ${chainId}`);
    await runAt(ground, 'chain', 'resume', String(chainId));
    expect(await stuck()).toEqual([]);
    const halt = { haltedAt: ground.clock.now(), haltReason: '3 final facts are gone.' };
    await ground.database.chainCursor.update({ where: { chainId }, data: halt });
    expect(await stuck()).toMatchObject([
      {
        cause: 'CHAIN_HALTED',
        why: expect.stringContaining('3 final facts are gone.'),
        since: halt.haltedAt.toISOString(),
      },
    ]);
    await ground.database.chainCursor.update({ where: { chainId }, data: { haltedAt: null, haltReason: null } });
    await refund(id);
  });
});

describe('the arguments of the list', () => {
  it('limit it to one chain and one app', async () => {
    const { id } = await ground.pay({ captureOnAuthorize: false });
    const { chainId } = ground.evm;
    const merchantId = ground.scope.merchantId;
    const other = await ground.database.app.create({ data: { id: newId(), merchantId, name: 'Other', mode: 'TEST' } });
    expect(await stuck('--chain', String(chainId), '--app', ground.app.id)).toMatchObject([{ cause: 'CAPTURE', id }]);
    expect(await stuck('--chain', '1')).toEqual([]);
    expect(await stuck('--app', other.id)).toEqual([]);
    await cancelPaymentIntent(ground.action, { scope: ground.scope, id });
    await ground.settleDown();
  });

  it.each([
    ['a chain that is not a number', ['--chain', 'ethereum'], 2, /chain id: .*must be a whole number/],
    ['an app that is not an id', ['--app', 'web'], 2, /--app: must be a UUID/],
    ['an unknown app', ['--app', '019a0000-0000-7000-8000-000000000000'], 1, /No such app/],
    ['negative minutes', ['--minutes=-1'], 2, /--minutes/],
    ['zero hours', ['--capture-hours', '0'], 2, /--capture-hours/],
    ['an unknown option', ['--nope'], 2, /Usage: npm run ops -- payments stuck/],
    ['an extra argument', ['all'], 2, /all: is not an option of this command/],
  ])('are rejected: %s', async (_, args, code, words) => {
    const answer = await runAt(ground, 'payments', 'stuck', ...args);
    expect([answer.code, answer.printed]).toEqual([code, '']);
    expect(answer.complained).toMatch(words);
  });

  it('are rejected without the subcommand', async () => {
    expect((await runAt(ground, 'payments')).code).toBe(2);
  });
});
