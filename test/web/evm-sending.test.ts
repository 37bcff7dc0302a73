/** How the hosted page finds the transaction of the payer's EVM wallet on the chain. */
import { type Address, createClient, type Hash, http } from 'viem';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findTransaction, type Place } from '../../web/src/wallet/evm/find-transaction.ts';
import { openEvm, type TestEvm } from '../setup/chains/evm.ts';

let evm: TestEvm;
beforeAll(async () => {
  evm = await openEvm();
});
afterEach(() => evm.testClient.setAutomine(true));

const GWEI = 1_000_000_000n;

/** Sends one unit of the native coin to the merchant, or a replacement of that transaction. */
async function send(more: { to?: Address; nonce?: number; fee?: bigint; gas?: bigint } = {}): Promise<Hash> {
  const { to = evm.merchant.address, nonce, fee = 10n * GWEI, gas = 21_000n } = more;
  const price = { gas, maxFeePerGas: fee, maxPriorityFeePerGas: fee };
  const place = nonce === undefined ? {} : { nonce };
  return await evm.walletFor(evm.payers[0].privateKey).sendTransaction({ to, value: 1n, ...price, ...place });
}

async function find(hash: Hash, place?: Place) {
  const client = createClient({ chain: evm.chain, transport: http(evm.rpcUrl), cacheTime: 0 });
  return await findTransaction(client, { hash, place });
}

describe('a sent transaction', () => {
  it('is found as done or reverted', async () => {
    expect((await find(await send())).found).toBe('DONE');
    // The token rejects the native coin. With a given gas limit, the call is not estimated before.
    expect((await find(await send({ to: evm.usdc.address, gas: 100_000n }))).found).toBe('REVERTED');
  });

  it.each([
    ['taken back', () => evm.payers[0].address],
    ['sent again at a higher fee', () => evm.merchant.address],
  ])('is not found while pending, and replaced once its nonce is used: %s', async (_about, to) => {
    await evm.testClient.setAutomine(false);
    const hash = await send();
    const waiting = await find(hash);
    expect(waiting).toEqual({ found: 'NOT_THERE', place: { from: expect.any(String), nonce: expect.any(Number) } });
    const other = await send({ to: to(), fee: 50n * GWEI, nonce: waiting.place?.nonce ?? 0 });
    expect((await find(hash, waiting.place)).found).toBe('NOT_THERE');
    await evm.mine();
    expect((await find(hash, waiting.place)).found).toBe('REPLACED');
    expect((await find(other)).found).toBe('DONE');
    // Without its nonce from the pending state, its outcome is unknown.
    expect(await find(hash)).toEqual({ found: 'NOT_THERE', place: undefined });
  });

  it('is not replaced by a later transaction', async () => {
    await evm.testClient.setAutomine(false);
    const hash = await send();
    const { place } = await find(hash);
    await evm.mine();
    await evm.testClient.setAutomine(true);
    await send();
    expect((await find(hash, place)).found).toBe('DONE');
  });
});
