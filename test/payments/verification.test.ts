/** Reported states are compared with a node, and facts that were missed are found. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { disputeCall, refundCall } from '../../src/escrow/calldata.ts';
import { type LogSource, openLogSource } from '../../src/facts/log-source.ts';
import { checkBooks } from '../../src/operations/check-books.ts';
import { verify } from '../../src/operations/verify.ts';
import { repairPayments } from '../../src/payments/verification/repair-payments.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround } from './ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
});

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await verify({ ...ground, clock: systemClock, print: (line) => lines.push(line) }, { args });
  return { code, text: lines.join('\n') };
}

async function paid() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  await ground.observe();
  return { intent, signed };
}

/** Paid and confirmed, and the projector has not looked yet. */
async function unapplied() {
  const signed = await ground.sign(await ground.intent());
  await ground.observe();
  await ground.authorize(signed);
  await ground.evm.mine(2);
  return { signed };
}

describe('verify', () => {
  it('reports a match for a payment that agrees with the chain', async () => {
    const { intent, signed } = await paid();
    const { code, text } = await run(intent.id);
    expect(code).toBe(0);
    expect(text).toContain(`MATCH  ${intent.id}  CAPTURED`);
    expect(text).toContain(signed.id);
    expect((await run('--all')).code).toBe(0);
  });

  it('searches the chain for the terms that were paid, and for no others', async () => {
    const { intent, signed } = await paid();
    const unpaid = await ground.sign(intent);
    const source = openLogSource(ground);
    const searched: string[] = [];
    const readPayment: LogSource['readPayment'] = (request) => {
      searched.push(request.id);
      return source.readPayment(request);
    };
    const found = await verifyPayment({ ...ground, logs: { ...source, readPayment } }, { intentId: intent.id });
    expect(found.verdict).toBe('MATCH');
    expect(found.payments.map(({ termsHash }) => termsHash).sort()).toEqual([signed.id, unpaid.id].sort());
    expect(searched).toEqual([signed.id]);
  });

  it('reports a drift for a status, terms and a ledger that differ from the chain', async () => {
    const { intent, signed } = await paid();
    await ground.database.paymentIntent.update({ where: { id: intent.id }, data: { status: 'SETTLED' } });
    expect(await run(intent.id)).toMatchObject({ code: 1, text: expect.stringContaining('the chain says CAPTURED') });
    await ground.database.paymentIntent.update({ where: { id: intent.id }, data: { status: 'CAPTURED' } });
    const entry = await ground.database.ledgerEntry.findFirstOrThrow({
      where: { termsHash: signed.id, account: 'ESCROW' },
    });
    await ground.database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: '9999999' } });
    expect(await run(intent.id)).toMatchObject({ code: 1, text: expect.stringContaining('The books hold 9999999') });
    const all = await run('--all', '--json');
    expect(all.code).toBe(1);
    expect(JSON.parse(all.text)).toMatchObject({
      verdict: 'DRIFT',
      chains: [{ drifts: [{ termsHash: signed.id, booked: '9999999', left: '10000000' }] }],
    });
    await ground.database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: '10000000' } });
    const key = { chainId_termsHash: { chainId: ground.evm.chainId, termsHash: signed.id } };
    const terms = await ground.database.paymentTerms.findUniqueOrThrow({ where: key });
    await ground.database.paymentTerms.update({
      where: key,
      data: { terms: { ...Object(terms.terms), amount: '1' } },
    });
    expect(await run(intent.id)).toMatchObject({ code: 1, text: expect.stringContaining('The kept terms hash to') });
  });

  it('reports a difference and its cause for facts that the projector has yet to apply', async () => {
    const { signed } = await unapplied();
    const { code, text } = await run('--all');
    expect(code).toBe(1);
    expect(text).toMatch(/\(\d+ confirmed blocks are not applied yet\)/);
    expect(text).toContain(`${signed.id}  books 0  contract 10000000`);
    await ground.observe();
    expect((await run('--all')).code).toBe(0);
  });

  it('finds money that the books have without any fact of the chain', async () => {
    const { intent, signed } = await paid();
    const entry = await ground.database.ledgerEntry.findFirstOrThrow({
      where: { termsHash: signed.id, account: 'ESCROW' },
    });
    const added = { ...entry, id: newId(), amount: '5', blockHash: `0x${'ab'.repeat(32)}` };
    await ground.database.ledgerEntry.create({ data: added });
    const all = await run('--all', '--json');
    expect(all.code).toBe(1);
    expect(JSON.parse(all.text).chains[0].drifts).toEqual([
      { termsHash: signed.id, paymentIntentId: intent.id, booked: '10000005', left: '10000000' },
    ]);
    await ground.database.ledgerEntry.delete({ where: { id: added.id } });
  });

  it('reports what it cannot verify', async () => {
    expect(await run()).toMatchObject({ code: 2, text: expect.stringContaining('Usage') });
    expect(await run(newId())).toEqual({ code: 2, text: 'No such payment intent.' });
  });
});

describe('the check that raises the alarm', () => {
  const check = async () => {
    const [chain] = await checkBooks({ ...ground, clock: systemClock }, { secondLookMs: 0 });
    return { drifts: chain?.drifts, uncovered: chain?.uncovered };
  };
  const nothing = { drifts: [], uncovered: [] };

  it('compares what the books have come to, not what is still to be applied or applied amid a turn', async () => {
    const { chainId } = ground.evm;
    await unapplied();
    expect(await check()).toEqual(nothing);
    await ground.observe();
    expect(await check()).toEqual(nothing);
    const { appliedNumber } = await ground.database.chainCursor.findUniqueOrThrow({ where: { chainId } });
    const moveTo = (number: bigint) =>
      ground.database.chainCursor.update({ where: { chainId }, data: { appliedNumber: number } });
    await moveTo(appliedNumber - 3n);
    expect(await check()).toEqual(nothing);
    await moveTo(appliedNumber);
  });

  it('raises it for a projector that stands still, which has no turn under way', async () => {
    const { signed } = await unapplied();
    await ground.evm.passTime(1_200);
    await ground.evm.mine(2);
    expect(await check()).toMatchObject({ drifts: [{ termsHash: signed.id, booked: '0', left: '10000000' }] });
    await ground.observe();
    expect(await check()).toEqual(nothing);
  });

  it('leaves out a chain whose node does not answer, and says so', async () => {
    const { registry, evm } = ground;
    const rpc = [{ ...evm.rpcSettings, urls: ['http://127.0.0.1:9/'] }];
    const faults: number[] = [];
    const world = { ...ground, nodes: openEvmNodes({ registry, rpc }), clock: systemClock };
    expect(await checkBooks(world, { onFault: (chainId) => faults.push(chainId) })).toEqual([]);
    expect(faults).toEqual([evm.chainId]);
  });

  it('raises it for books that no fact explains', async () => {
    const { signed } = await paid();
    const where = { termsHash: signed.id, account: 'ESCROW' } as const;
    const entry = await ground.database.ledgerEntry.findFirstOrThrow({ where });
    await ground.database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: '9999999' } });
    expect(await check()).toMatchObject({ drifts: [{ termsHash: signed.id, booked: '9999999', left: '10000000' }] });
    await ground.database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: '10000000' } });
    expect(await check()).toEqual(nothing);
  });
});

describe('the comparison of open payments', () => {
  it('does not search the history for facts that the projector has yet to read', async () => {
    const { signed } = await unapplied();
    const searched: string[] = [];
    const source = openLogSource(ground);
    const logs: LogSource = {
      ...source,
      readPayment: (request) => {
        searched.push(request.id);
        return source.readPayment(request);
      },
    };
    const world = { ...ground, logs, clock: systemClock, log: silentLog };
    const { checked, repaired } = await repairPayments(world, { chainId: ground.evm.chainId });
    expect([checked > 0, repaired, searched]).toEqual([true, 0, []]);
    await ground.observe();
    expect((await ground.state(signed.id)).left).toBe(10_000_000n);
    expect(await ground.held(signed.id)).toBe(10_000_000n);
  });

  it('finds facts that the source never reported, and the projector applies them', async () => {
    const { intent, signed } = await paid();
    const { escrow, merchant, chainId } = ground.evm;
    await ground.send(merchant, refundCall({ escrow, ...signed, amount: 4_000_000n, expectedLeft: 10_000_000n }));
    await ground.evm.mine();
    // A source that lost the block: the cursor is past it.
    const head = await ground.evm.publicClient.getBlockNumber();
    await ground.database.chainCursor.update({ where: { chainId }, data: { readNumber: head } });
    await ground.observe();
    expect((await ground.read(intent.id)).leftAmount?.toFixed()).toBe('10000000');
    const world = { ...ground, logs: ground.source, clock: systemClock, log: silentLog };
    expect(await repairPayments(world, { chainId })).toMatchObject({ repaired: 1 });
    await ground.evm.mine();
    await ground.observe();
    expect((await ground.read(intent.id)).leftAmount?.toFixed()).toBe('6000000');
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'partially_refunded']);
    expect(await repairPayments(world, { chainId })).toMatchObject({ repaired: 0 });
  });

  it('finds a dispute that the source never reported, although no money moved', async () => {
    const { intent, signed } = await paid();
    const { escrow, chainId, payers } = ground.evm;
    await ground.send(payers[0], disputeCall({ escrow, ...signed }));
    await ground.evm.mine();
    const head = await ground.evm.publicClient.getBlockNumber();
    await ground.database.chainCursor.update({ where: { chainId }, data: { readNumber: head } });
    await ground.observe();
    const dispute = () => ground.database.dispute.findUnique({ where: { paymentIntentId: intent.id } });
    expect(await dispute()).toBeNull();
    expect(await run(intent.id)).toMatchObject({ code: 1, text: expect.stringContaining('The chain has a dispute') });
    const world = { ...ground, logs: ground.source, clock: systemClock, log: silentLog };
    expect(await repairPayments(world, { chainId })).toMatchObject({ repaired: 1 });
    await ground.evm.mine();
    await ground.observe();
    expect(await dispute()).toMatchObject({ status: 'OPEN' });
    expect((await run(intent.id)).code).toBe(0);
    expect(await repairPayments(world, { chainId })).toMatchObject({ repaired: 0 });
  });
});
