import { createWalletClient, http, parseGwei } from 'viem';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeRevert } from '../../src/escrow/describe-revert.ts';
import { abandonTransaction } from '../../src/operator/abandon-transaction.ts';
import { pumpTransactions } from '../../src/operator/pump-transactions.ts';
import { Crash, crashing, openSender, openSendingGround, sink } from './sending-ground.ts';

/** A contract that reverts without data. */
const revertingCode = '0x60006000fd';
const acceptingCode = '0x00';
/** Counts down from 800,000, which takes some twenty million gas. */
const burningCode = '0x620c35005b600190038060045700';
const burner = '0x00000000000000000000000000000000000b0001';

describe('the pump', () => {
  let ground: Awaited<ReturnType<typeof openSendingGround>>;
  const balance = () => ground.client.getBalance({ address: sink });
  const mine = (blocks = 1) => ground.admin.mine({ blocks });

  beforeAll(async () => {
    ground = await openSendingGround();
  });
  beforeEach(async () => {
    await ground.admin.setAutomine(false);
    await mine();
  });

  it('sends queued transactions, reports outcomes at the required depth, and closes them when final', async () => {
    const sender = await openSender(ground, { confirmations: 3 });
    const id = await sender.enqueue({ purpose: 'plain' });
    const before = await balance();
    await sender.turn();
    expect(await sender.row(id)).toMatchObject({ status: 'SENT', nonce: 0n });
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect(await sender.row(id)).toMatchObject({ status: 'MINED', confirmedAt: null });
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED']);
    await mine(2);
    await sender.turn();
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED', 'MINED']);
    await mine(4);
    await sender.turn();
    expect((await sender.row(id)).status).toBe('FINAL');
  });

  it('gives up what needs more gas than it may have, and clamps the margin of what needs a little less', async () => {
    const sender = await openSender(ground);
    const limit = 40_000n;
    await ground.admin.setCode({ address: burner, bytecode: burningCode });
    const dear = await sender.enqueue({ purpose: 'dear', to: burner, maxFailures: 1, maxGas: limit });
    const endless = await sender.enqueue({ purpose: 'endless', to: burner, maxFailures: 1 });
    const cheap = await sender.enqueue({ purpose: 'cheap', maxGas: 22_000n });
    await sender.turn();
    expect(await sender.row(dear)).toMatchObject({
      status: 'FAILED',
      nonce: null,
      error: 'It needs more than 40000 gas.',
    });
    expect(await sender.row(endless)).toMatchObject({ status: 'FAILED', nonce: null });
    expect(await sender.row(cheap)).toMatchObject({ status: 'SENT', nonce: 0n });
    const [attempt] = await ground.database.outgoingAttempt.findMany({ where: { outgoingId: cheap } });
    expect(attempt?.gasLimit).toBe(22_000n);
  });

  it('queues each purpose once', async () => {
    const sender = await openSender(ground);
    expect(await sender.enqueue({ purpose: 'the same' })).toBe(await sender.enqueue({ purpose: 'the same' }));
  });

  it('limits the number of transactions in flight', async () => {
    const sender = await openSender(ground);
    sender.world.limits = { ...sender.world.limits, inFlight: 3 };
    for (let index = 0; index < 5; index++) await sender.enqueue({ purpose: `flight ${index}` });
    await sender.turn();
    await sender.turn();
    const count = (status: 'SENT' | 'QUEUED') =>
      ground.database.outgoingTransaction.count({ where: { status, purpose: { startsWith: 'flight' } } });
    expect([await count('SENT'), await count('QUEUED')]).toEqual([3, 2]);
    await mine();
    await sender.turn();
    expect([await count('SENT'), await count('QUEUED')]).toEqual([2, 0]);
  });

  it('tries a reverting simulation again after a growing wait, and then gives it up with its reason', async () => {
    const sender = await openSender(ground);
    const to = '0x00000000000000000000000000000000000c0de1';
    await ground.admin.setCode({ address: to, bytecode: revertingCode });
    const id = await sender.enqueue({ purpose: 'reverting', to, valueWei: 0n, maxFailures: 3 });
    await sender.turn();
    await sender.turn();
    expect(await sender.row(id)).toMatchObject({ status: 'QUEUED', failures: 1 });
    await sender.turn(1_000);
    await sender.turn(1_000);
    expect(await sender.row(id)).toMatchObject({ status: 'QUEUED', failures: 2 });
    await sender.turn(1_000);
    const row = await sender.row(id);
    expect(row).toMatchObject({ status: 'FAILED', failures: 3, nonce: null });
    expect(row.error).toMatch(/revert/i);
    expect(sender.reported.map((one) => one.kind)).toEqual(['FAILED']);
  });

  it('reports the revert data of an unknown contract byte by byte', async () => {
    const address = '0x00000000000000000000000000000000000c0de1';
    // Reverts with 0xdeadbeef and the number 42.
    const bytecode = '0x63deadbeef60e01b600052602a60045260246000fd';
    await ground.admin.setCode({ address, bytecode });
    const sender = await openSender(ground);
    const id = await sender.enqueue({ purpose: 'refused', to: address, valueWei: 0n, maxFailures: 1 });
    await pumpTransactions({ ...sender.world, describeRevert });
    expect(await sender.row(id)).toMatchObject({
      status: 'FAILED',
      error: `Reverted with the unknown error 0xdeadbeef, data 0x${'00'.repeat(31)}2a.`,
    });
  });

  it('reports a transaction that reverted on chain only at the required depth', async () => {
    const sender = await openSender(ground, { confirmations: 2 });
    const to = '0x00000000000000000000000000000000000c0de2';
    await ground.admin.setCode({ address: to, bytecode: acceptingCode });
    const id = await sender.enqueue({ purpose: 'turned', to, valueWei: 0n });
    await sender.turn();
    await ground.admin.setCode({ address: to, bytecode: revertingCode });
    await mine();
    await sender.turn();
    expect((await sender.row(id)).status).toBe('MINED');
    await mine();
    await sender.turn();
    expect(await sender.row(id)).toMatchObject({ status: 'FAILED', nonce: 0n });
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED', 'FAILED']);
  });

  it('replaces a transaction stuck below the base fee, with its nonce and fees raised by an eighth', async () => {
    const sender = await openSender(ground);
    await ground.admin.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await mine();
    const before = await balance();
    const id = await sender.enqueue({ purpose: 'stuck' });
    await sender.turn();
    await ground.admin.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') });
    await mine();
    await sender.turn(31_000);
    const stuck = await sender.row(id);
    expect(stuck.attempts).toHaveLength(2);
    const [first, second] = stuck.attempts.map((one) => ({
      fee: BigInt(one.maxFeePerGasWei.toFixed(0)),
      tip: BigInt(one.maxPriorityFeePerGasWei.toFixed(0)),
      nonce: one.nonce,
    }));
    expect(second?.nonce).toBe(first?.nonce);
    expect((second?.fee ?? 0n) * 1000n).toBeGreaterThanOrEqual((first?.fee ?? 0n) * 1125n);
    expect((second?.tip ?? 0n) * 1000n).toBeGreaterThanOrEqual((first?.tip ?? 0n) * 1125n);
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED', 'MINED']);
    await ground.admin.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await mine();
  });

  it('waits while the base fee is above the cap', async () => {
    const sender = await openSender(ground, { capWei: 1_000n });
    const id = await sender.enqueue({ purpose: 'too dear' });
    await sender.turn();
    expect(await sender.row(id)).toMatchObject({ status: 'QUEUED', nonce: null, attempts: [] });
  });

  it('uses up the nonce of a stuck transaction that would now revert, which unblocks later ones', async () => {
    const sender = await openSender(ground);
    const to = '0x00000000000000000000000000000000000c0de3';
    await ground.admin.setCode({ address: to, bytecode: acceptingCode });
    const before = await balance();
    const unwanted = await sender.enqueue({ purpose: 'unwanted', to, valueWei: 0n });
    const behind = await sender.enqueue({ purpose: 'behind' });
    await sender.turn();
    await ground.admin.setCode({ address: to, bytecode: revertingCode });
    await sender.turn(31_000);
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await sender.row(unwanted)).toMatchObject({ status: 'CANCELLED', nonce: 0n });
    expect(await sender.row(behind)).toMatchObject({ status: 'MINED', nonce: 1n });
    expect(await balance()).toBe(before + 1n);
    expect(sender.reported.filter((one) => one.kind === 'FAILED')).toHaveLength(1);
  });

  it('resends transactions that the nodes have dropped', async () => {
    const sender = await openSender(ground);
    const before = await balance();
    const id = await sender.enqueue({ purpose: 'dropped' });
    await sender.turn();
    const { txHash } = await sender.row(id);
    await ground.admin.dropTransaction({ hash: (txHash ?? '0x') as `0x${string}` });
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before);
    await sender.turn(16_000);
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect((await sender.row(id)).txHash).toBe(txHash);
  });

  it('takes another nonce when another user of the key has used its nonce', async () => {
    const sender = await openSender(ground, { confirmations: 2 });
    const before = await balance();
    const id = await sender.enqueue({ purpose: 'robbed' });
    await sender.turn();
    const { txHash } = await sender.row(id);
    await ground.admin.dropTransaction({ hash: (txHash ?? '0x') as `0x${string}` });
    const attacker = createWalletClient({ account: sender.account, transport: http(ground.client.transport.url) });
    await attacker.sendTransaction({ chain: null, to: sender.account.address, nonce: 0, gas: 21_000n });
    await mine();
    await sender.turn();
    // One block is not proof enough at a required depth of two.
    expect((await sender.row(id)).nonce).toBe(0n);
    await mine();
    await sender.turn();
    expect(await sender.row(id)).toMatchObject({ nonce: 1n, status: 'SENT' });
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
  });

  it('does not resend a transaction that is no longer needed when its nonce was used elsewhere', async () => {
    const sender = await openSender(ground, { confirmations: 1 });
    const before = await balance();
    const id = await sender.enqueue({ purpose: 'robbed and unwanted' });
    await sender.turn();
    const { txHash } = await sender.row(id);
    await ground.admin.dropTransaction({ hash: (txHash ?? '0x') as `0x${string}` });
    const attacker = createWalletClient({ account: sender.account, transport: http(ground.client.transport.url) });
    await attacker.sendTransaction({ chain: null, to: sender.account.address, nonce: 0, gas: 21_000n });
    await mine();
    await abandonTransaction(sender.world, { id, reason: 'Not needed' });
    await sender.turn();
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before);
    expect(await sender.row(id)).toMatchObject({ status: 'CANCELLED', nonce: null, error: 'Not needed' });
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED', 'FAILED']);
  });

  it('uses up a nonce used elsewhere when a reorganization frees it, so that later nonces do not wait', async () => {
    const sender = await openSender(ground, { confirmations: 1 });
    const before = await balance();
    const attacker = createWalletClient({ account: sender.account, transport: http(ground.client.transport.url) });
    const takeNonce = (nonce: number) =>
      attacker.sendTransaction({ chain: null, to: sender.account.address, nonce, gas: 21_000n });
    const first = await sender.enqueue({ purpose: 'behind a stranger' });
    await takeNonce(0);
    await mine();
    await sender.turn();
    expect(await sender.row(first)).toMatchObject({ status: 'SENT', nonce: 1n });
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    // It waits for nonce 0, which nobody has any more.
    await mine();
    expect(await balance()).toBe(before);
    await sender.turn();
    await mine();
    // The node may have dropped what came too early.
    await sender.turn(sender.world.limits.resendAfterMs);
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect(await sender.row(first)).toMatchObject({ status: 'MINED', nonce: 1n });
    const filled = await ground.database.outgoingTransaction.findFirstOrThrow({
      where: { sender: sender.account.address.toLowerCase(), nonce: 0n },
    });
    expect(filled).toMatchObject({ status: 'CANCELLED', toAddress: sender.account.address.toLowerCase() });
    const kinds = sender.reported.filter((one) => one.outcome.id === first).map((one) => one.kind);
    expect(kinds).toEqual(['SIGNED', 'MINED']);
  });

  it('has every effect exactly once with four pumps that crash at random', async () => {
    const sender = await openSender(ground);
    const effects = Number(process.env.PUMP_TEST_SENDS ?? 40);
    await ground.admin.setAutomine(true);
    const before = await balance();
    for (let index = 0; index < effects; index++) await sender.enqueue({ purpose: `crashing ${index}` });
    let random = 12345;
    let crashes = 0;
    const chance = () => {
      random = (random * 1103515245 + 12345) % 2147483648;
      const hit = random / 2147483648 < 0.02;
      if (hit) crashes += 1;
      return hit;
    };
    const worlds = [1, 2, 3, 4].map(() => {
      const world = sender.openWorld();
      return {
        ...world,
        database: crashing(world.database, chance),
        client: crashing(world.client, chance),
        signer: { ...world.signer, signTransaction: crashing(world.signer, chance).signTransaction },
      };
    });
    const open = () =>
      ground.database.outgoingTransaction.count({
        where: { purpose: { startsWith: 'crashing' }, confirmedAt: null },
      });
    for (let round = 0; round < 400 && (await open()) > 0; round++) {
      sender.pass(2_000);
      await Promise.all(
        worlds.map((world) =>
          pumpTransactions(world).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
          }),
        ),
      );
    }
    expect(await open()).toBe(0);
    expect(crashes).toBeGreaterThan(0);
    expect(await balance()).toBe(before + BigInt(effects));
    expect(await ground.client.getTransactionCount({ address: sender.account.address })).toBe(effects);
  });
});
