/** What a reorganization does to what was sent: every effect comes back once, and no later nonce waits for ever. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSender, openSendingGround, sink } from './sending-ground.ts';

/** A contract that reverts without data. */
const revertingCode = '0x60006000fd';
const acceptingCode = '0x00';

describe('the pump after a reorganization', () => {
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

  it('resends a transaction whose block was reorganized away', async () => {
    const sender = await openSender(ground, { confirmations: 3 });
    const id = await sender.enqueue({ purpose: 'reorged' });
    await mine();
    const before = await balance();
    await sender.turn();
    await mine();
    await sender.turn();
    expect((await sender.row(id)).status).toBe('MINED');
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await mine(3);
    await sender.turn();
    await sender.turn();
    await mine(3);
    await sender.turn();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect(sender.reported.filter((one) => one.kind === 'MINED')).toHaveLength(1);
  });

  it('immediately resends a reported transaction that a reorganization removed', async () => {
    const sender = await openSender(ground, { confirmations: 1 });
    const before = await balance();
    const lost = await sender.enqueue({ purpose: 'reported and lost' });
    await sender.turn();
    await mine();
    await sender.turn();
    await sender.turn();
    expect(sender.reported.map((one) => one.kind)).toEqual(['SIGNED', 'MINED']);
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    const later = await sender.enqueue({ purpose: 'later' });
    await sender.turn();
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before + 2n);
    expect([await sender.row(lost), await sender.row(later)]).toMatchObject([
      { status: 'MINED', nonce: 0n },
      { status: 'MINED', nonce: 1n },
    ]);
  });

  it('resends a transaction of a replaced final block, so that later nonces do not wait', async () => {
    const sender = await openSender(ground, { confirmations: 1 });
    const before = await balance();
    const final = await sender.enqueue({ purpose: 'final and lost' });
    await sender.turn();
    await mine();
    for (const _step of ['found', 'resolved', 'final']) {
      await sender.turn();
      await mine(4);
    }
    expect((await sender.row(final)).status).toBe('FINAL');
    await ground.admin.request({ method: 'anvil_reorg', params: [13, []] } as never);
    expect(await balance()).toBe(before);
    const later = await sender.enqueue({ purpose: 'later than the final' });
    await sender.turn();
    await mine();
    await sender.turn();
    expect(await balance()).toBe(before + 2n);
    expect([await sender.row(final), await sender.row(later)]).toMatchObject([
      { status: 'MINED', nonce: 0n, abandonedAt: null },
      { status: 'MINED', nonce: 1n },
    ]);
  });

  it('uses up the nonce of a failed transaction when a reorganization frees it', async () => {
    const sender = await openSender(ground, { confirmations: 1 });
    const before = await balance();
    const to = '0x00000000000000000000000000000000000c0de4';
    await ground.admin.setCode({ address: to, bytecode: acceptingCode });
    const failed = await sender.enqueue({ purpose: 'failed and lost', to, valueWei: 0n });
    await sender.turn();
    await ground.admin.setCode({ address: to, bytecode: revertingCode });
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await sender.row(failed)).toMatchObject({ status: 'FAILED', nonce: 0n });
    const { error } = await sender.row(failed);
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    // It would work now, but its failure was reported.
    await ground.admin.setCode({ address: to, bytecode: acceptingCode });
    const later = await sender.enqueue({ purpose: 'later than the failed', valueWei: 1n });
    await sender.turn();
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect([await sender.row(failed), await sender.row(later)]).toMatchObject([
      { status: 'CANCELLED', nonce: 0n, error },
      { status: 'MINED', nonce: 1n },
    ]);
    // The transfer to oneself may lose its block too.
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await sender.turn();
    await mine();
    await sender.turn();
    await sender.turn();
    expect(await balance()).toBe(before + 1n);
    expect([await sender.row(failed), await sender.row(later)]).toMatchObject([
      { status: 'CANCELLED', nonce: 0n, error },
      { status: 'MINED', nonce: 1n },
    ]);
  });
});
