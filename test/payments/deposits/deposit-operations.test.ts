/** What operators see of deposits: stuck ones, metrics, books that differ from the chain, and addresses that a restore lost. */
import { parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDeposits, readDepositsHeld } from '../../../src/operations/health/read-deposits.ts';
import { registerTableGauges } from '../../../src/operations/metrics/table-gauges.ts';
import { operate } from '../../../src/operations/operate.ts';
import { checkDeposits } from '../../../src/payments/deposits/check-deposits.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMetrics } from '../../../src/platform/metrics.ts';
import { openTransferGround, type TransferGround } from './transfer-ground.ts';

const AMOUNT = 10_000_000n;
const stranger = () => privateKeyToAddress(generatePrivateKey());

let ground: TransferGround;
beforeAll(async () => {
  ground = await openTransferGround();
  await ground.gateway.evm.mine(10);
});

async function confirmAll(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await ground.gateway.turnPumps();
  await ground.rest();
}

async function run(...args: string[]) {
  const { action } = ground.gateway;
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      ...action,
      config: { rpc: [] },
      keys: [action.operator.address],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    args,
  );
  return { code, ...output };
}

async function rows(...args: string[]): Promise<Record<string, string>[]> {
  const { code, printed, complained } = await run(...args, '--json');
  expect([code, complained]).toEqual([0, '']);
  return JSON.parse(printed);
}

async function ban(functionName: 'blacklist' | 'unBlacklist', account: `0x${string}`): Promise<void> {
  const { evm } = ground.gateway;
  const abi = parseAbi(['function blacklist(address account)', 'function unBlacklist(address account)']);
  const wallet = evm.walletFor(evm.payers[2].privateKey);
  const hash = await wallet.writeContract({ address: evm.usdc.address, abi, functionName, args: [account] });
  await evm.publicClient.waitForTransactionReceipt({ hash });
}

const check = (withNodes = true) => checkDeposits(ground.gateway.action, { withNodes, secondLookMs: 0 });

describe('a deposit whose return fails', () => {
  it('is listed with what, since when, why and what to do, is in the metrics, and is gone once it is returned', async () => {
    const { gateway, openSession, prepare, transfer } = ground;
    const { database, clock, evm, registry } = { ...gateway.action, evm: gateway.evm };
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    const [open] = await readDeposits(database, clock.now());
    expect(open).toMatchObject({ chainId: evm.chainId, open: 1, stuck: 0, overdue: 0, uncollectedSeconds: 0 });
    await transfer(step.address, AMOUNT + 9n);
    await ban('blacklist', refundAddress);
    await confirmAll();
    const deposit = await database.depositAddress.findFirstOrThrow({ where: { termsHash: step.termsHash } });
    const since = deposit.stuckSince?.toISOString();
    const [row] = (await rows('stuck')).filter(({ kind }) => kind === 'deposit');
    expect(row).toMatchObject({
      id: session.paymentIntentId,
      state: 'RETURN_FAILS',
      what: expect.stringContaining(`from the deposit address ${step.address}`),
      since,
      error: expect.stringContaining('DepositNotSent'),
      do: expect.stringMatching(/^Fix the cause/),
    });
    const payments = (await rows('payments', 'stuck')).filter(({ cause }) => cause === 'DEPOSIT');
    expect(payments).toEqual([
      expect.objectContaining({
        waitsFor: 'RECIPIENT',
        of: 'payment',
        id: session.paymentIntentId,
        amount: '0.000009',
        unit: 'USDC',
        since,
        why: expect.stringContaining(`${step.address} cannot be returned to ${refundAddress}: `),
        do: expect.stringContaining(refundAddress),
      }),
    ]);
    await gateway.passTime(4_000);
    const metrics = openMetrics({ part: 'worker', log: silentLog });
    registerTableGauges({ database, registry, clock, metrics });
    const text = await metrics.text();
    expect(text).toMatch(new RegExp(`sluice_deposits_stuck\\{[^}]*chain_id="${evm.chainId}"[^}]*\\} 1`));
    expect(text).toMatch(/sluice_deposits_held_base_units\{[^}]*token="USDC-\d+"[^}]*\} 9\n/);
    const [signs] = await readDeposits(database, clock.now());
    expect(signs?.stuckSeconds).toBeGreaterThan(3_600);
    expect(signs?.uncollectedSeconds).toBeGreaterThan(3_600);
    expect(await readDepositsHeld(database)).toEqual([{ chainId: evm.chainId, tokenKey: evm.usdc.key, held: '9' }]);
    await ban('unBlacklist', refundAddress);
    await gateway.passTime(3_600);
    await confirmAll();
    expect((await rows('payments', 'stuck')).filter(({ cause }) => cause === 'DEPOSIT')).toEqual([]);
    expect(await readDepositsHeld(database)).toEqual([]);
  });

  it('of which nobody decides is listed too', async () => {
    const { database, clock } = ground.gateway.action;
    const { termsHash } = await database.depositAddress.findFirstOrThrow();
    const actAt = new Date(clock.now().getTime() - 700_000);
    await database.depositAddress.updateMany({ where: { termsHash }, data: { actAt } });
    const [row] = (await rows('stuck')).filter(({ kind }) => kind === 'deposit');
    expect(row).toMatchObject({ state: 'DUE', since: actAt.toISOString(), do: expect.stringContaining('sweep') });
    expect((await readDeposits(database, clock.now()))[0]?.overdue).toBe(1);
    await database.depositAddress.updateMany({ where: { termsHash }, data: { actAt: null } });
  });
});

describe('the books of deposit addresses', () => {
  it('agree with the chain after a payment, a surplus, a partial deposit and a wrong token', async () => {
    const { openSession, prepare, transfer, gateway } = ground;
    const paid = await prepare(await openSession());
    await transfer(paid.address, AMOUNT + 5n);
    const partial = await prepare(await openSession());
    await transfer(partial.address, 4_000_000n);
    const unused = await prepare(await openSession());
    await confirmAll();
    expect(await gateway.database.depositBalance.count({ where: { termsHash: unused.termsHash } })).toBe(0);
    const { addresses, faults } = await check();
    expect(faults).toEqual([]);
    expect(addresses).toBe(await gateway.database.depositAddress.count());
    expect((await check(false)).faults).toEqual([]);
    expect((await run('check-books', '--json')).complained).not.toContain('faults in the books');
  });

  it('that differ from the facts are named field by field', async () => {
    const { database } = ground.gateway;
    const row = await database.depositBalance.findFirstOrThrow({ where: { received: { gt: AMOUNT.toString() } } });
    const key = { chainId: row.chainId, termsHash: row.termsHash };
    const where = { chainId_termsHash_token: { ...key, token: row.token } };
    const { address, paymentIntentId } = await database.depositAddress.findFirstOrThrow({ where: key });
    await database.depositBalance.update({
      where,
      data: { received: row.received.plus(1), returned: row.returned.plus(2), held: 3 },
    });
    const { faults } = await check(false);
    const of = (field: string) => `${field} of ${row.tokenKey} at the deposit address ${address}`;
    const [received, returned] = [row.received.toFixed(), row.returned.toFixed()];
    expect(faults).toEqual([
      { paymentIntentId, fault: `${of('received')} is ${row.received.plus(1).toFixed()} instead of ${received}.` },
      { paymentIntentId, fault: `${of('returned')} is ${row.returned.plus(2).toFixed()} instead of ${returned}.` },
      { paymentIntentId, fault: `${of('held')} is 3, and ${received} was received and ${returned} returned.` },
    ]);
    const { code, printed, complained } = await run('check-books', '--without-nodes', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(printed).faults).toEqual(faults);
    expect(complained).toContain('3 faults in the books of 1 payment intents');
    await database.depositBalance.update({
      where,
      data: { received: row.received, returned: row.returned, held: row.held },
    });
    expect((await check(false)).faults).toEqual([]);
  });

  it('that the chain contradicts are named with both sides, and what arrived just now is no fault', async () => {
    const { database } = ground.gateway;
    const deposit = await database.depositAddress.findFirstOrThrow({
      where: { balances: { some: { held: 4_000_000n.toString() } } },
    });
    await ground.transfer(deposit.address as `0x${string}`, 7n);
    expect((await check()).faults).toEqual([]);
    await confirmAll();
    expect((await check()).faults).toEqual([]);
    const fact = await database.chainFact.findFirstOrThrow({
      where: { ref: deposit.termsHash, kind: 'Deposited' },
      orderBy: { blockNumber: 'asc' },
    });
    const place = { chainId: fact.chainId, blockHash: fact.blockHash, logIndex: fact.logIndex };
    await database.chainFact.update({
      where: { chainId_blockHash_logIndex: place },
      data: { args: { ...Object(fact.args), amount: '4000001' } },
    });
    const { faults } = await check();
    expect(faults.map(({ fault: words }) => words)).toContainEqual(
      expect.stringContaining('is 4000007, and 4000008 was received, 0 collected and 0 returned.'),
    );
    await database.chainFact.update({
      where: { chainId_blockHash_logIndex: place },
      data: { args: Object(fact.args) },
    });
  });

  it('are compared with their facts when no node answers, and the chain is named', async () => {
    const silent: number[] = [];
    const broken = {
      ...ground.gateway.action,
      nodes: { ...ground.gateway.action.nodes, asking: () => Promise.reject(new Error('away')) },
    };
    const { faults } = await checkDeposits(broken, {
      withNodes: true,
      secondLookMs: 0,
      onFault: (chainId) => void silent.push(chainId),
    });
    expect([faults, silent]).toEqual([[], [ground.gateway.evm.chainId]]);
  });
});

describe('a deposit address that the database lost', () => {
  /** Issues an address, and forgets it as a restore of an older dump does. Returns the terms that the log had. */
  async function lose(refundAddress: `0x${string}`) {
    const { database } = ground.gateway;
    const session = await ground.openSession();
    const logged: { message: string; fields: Record<string, unknown> }[] = [];
    ground.world.log = {
      ...silentLog,
      info: (fields, message) => void logged.push({ fields: { ...fields }, message }),
    };
    const step = await ground.prepare(session, { refundAddress });
    delete ground.world.log;
    const [line] = logged.filter(({ message }) => message === 'A deposit address was issued.');
    expect(line?.fields).toMatchObject({ chainId: ground.gateway.evm.chainId, termsHash: step.termsHash });
    const where = { termsHash: step.termsHash };
    await database.depositAddress.deleteMany({ where });
    await database.paymentTerms.deleteMany({ where });
    await database.quote.deleteMany({ where });
    return { step, terms: JSON.stringify(line?.fields.terms) };
  }
  const recover = (terms: string) =>
    rows('recover-deposit', '--chain', String(ground.gateway.evm.chainId), '--terms', terms);

  it('is returned to its payer from the terms alone, once, and again after a further deposit', async () => {
    const { gateway, transfer, balanceOf } = ground;
    const refundAddress = stranger();
    const { step, terms } = await lose(refundAddress);
    expect(await recover(terms)).toEqual([]);
    await transfer(step.address, AMOUNT);
    await confirmAll();
    expect(await balanceOf(refundAddress), 'nobody knows the address').toBe(0n);
    const row = { address: step.address, refundAddress, amount: '10', tokenKey: gateway.evm.usdc.key, fault: null };
    expect(await recover(terms)).toEqual([{ ...row, state: 'QUEUED' }]);
    expect(await recover(terms)).toEqual([{ ...row, state: 'UNDER_WAY' }]);
    await confirmAll();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT);
    expect(await recover(terms)).toEqual([]);
    await gateway.passTime(7_200);
    await transfer(step.address, 3n);
    expect(await recover(terms)).toEqual([{ ...row, amount: '0.000003', state: 'QUEUED' }]);
    await confirmAll();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT + 3n);
    const audited = await gateway.database.auditEntry.findMany({ where: { action: 'deposit.recovered' } });
    expect(audited).toHaveLength(2);
  });

  it('is not returned to a payer who cannot receive it, and costs no gas', async () => {
    const refundAddress = stranger();
    const { step, terms } = await lose(refundAddress);
    await ground.transfer(step.address, AMOUNT);
    await ban('blacklist', refundAddress);
    expect(await recover(terms)).toEqual([
      expect.objectContaining({ state: 'FAILS', fault: expect.stringContaining('DepositNotSent') }),
    ]);
    expect(
      await ground.gateway.database.outgoingTransaction.count({ where: { purpose: { contains: step.termsHash } } }),
    ).toBe(0);
  });

  it('names bad terms, and leaves an address that the database knows to the gateway', async () => {
    const { database, evm } = ground.gateway;
    const chain = String(evm.chainId);
    const answer = async (...args: string[]) => await run('recover-deposit', ...args);
    expect(await answer('--chain', chain, '--terms', 'x')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('--terms'),
    });
    const bad = await answer('--chain', chain, '--terms', '{"payer":"0x12"}');
    expect(bad.code).toBe(2);
    for (const field of ['--terms.payer', '--terms.amount', '--terms.quoteHash'])
      expect(bad.complained).toContain(field);
    const step = await ground.prepare(await ground.openSession());
    const known = await database.paymentTerms.findFirstOrThrow({ where: { termsHash: step.termsHash } });
    const terms = JSON.stringify(known.terms);
    expect(await answer('--chain', chain, '--terms', terms)).toMatchObject({
      code: 1,
      complained: expect.stringContaining(`The database contains the deposit address ${step.address}`),
    });
    expect((await answer('--chain', '999', '--terms', terms)).code).toBe(1);
    expect((await answer('--terms', terms)).code).toBe(2);
  });
});
