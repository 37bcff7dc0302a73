/** A worker process that is killed (SIGKILL) when the node has its transfer and it has not heard the answer. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { erc20Abi, getAddress, parseEventLogs } from 'viem';
import { expect, it } from 'vitest';
import { localChain } from '../../../src/local/local-chains.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { openRpcGate } from '../../setup/chains/rpc-gate.ts';
import { spawnPart } from '../../setup/gateway/part-process.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { openExactGround } from './exact-ground.ts';

const patience = { timeout: 90_000, interval: 100 };
const SEND = 'eth_sendRawTransaction';

it('settles a payment once whose worker is killed after it has broadcast the transfer', async () => {
  const ground = await openExactGround();
  const { gateway } = ground;
  const { evm, database } = gateway;
  const gate = await openRpcGate(evm.rpcUrl);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-killed-worker-'));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify([localChain(evm.chainId)]));
  const startWorker = () =>
    spawnPart('worker', {
      DATABASE_URL: gateway.url,
      CHAINS_FILE: chainsFile,
      OPERATOR_PRIVATE_KEY: evm.operator.privateKey,
      [`RPC_URL_${evm.chainId}`]: gate.url,
      [`POLLING_INTERVAL_MS_${evm.chainId}`]: '50',
    });
  /** What the payee has received since the test began, by the token's own logs. */
  const begin = await evm.publicClient.getBlockNumber();
  const transfers = async () => {
    const logs = await evm.publicClient.getLogs({ address: evm.usdc.address, fromBlock: begin + 1n });
    return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs }).map(({ args, transactionHash }) => ({
      ...args,
      transactionHash,
    }));
  };

  // The node takes the transaction and mines it. Neither its answer nor any later one arrives.
  let isBroadcast = false;
  gate.inject = (method, params) => {
    if (!isBroadcast && method !== SEND) return undefined;
    if (!isBroadcast) void evm.publicClient.sendRawTransaction({ serializedTransaction: hex(String(params[0])) });
    isBroadcast = true;
    return 'hang';
  };
  const signed = await ground.sign();
  const gained = await gateway.gained(async () => {
    const worker = await startWorker();
    expect(await ground.settle(signed)).toMatchObject({ success: false, reason: 'settlement_pending' });
    await expect.poll(async () => (await transfers()).length, patience).toBe(1);
    const ended = new Promise((resolve) => worker.process.once('exit', (_code, signal) => resolve(signal)));
    expect(worker.isGone()).toBe(false);
    worker.process.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');

    // The money has moved, and nothing here knows it.
    expect(await ground.queue(signed)).toEqual(['SIGNED']);
    expect(await ground.row(signed)).toMatchObject({ status: 'PENDING', txHash: null });
    expect(await ground.settle(signed)).toMatchObject({ success: false, retryable: true, transaction: '' });

    gate.inject = () => undefined;
    await startWorker();
    await expect.poll(() => ground.queue(signed), patience).toEqual(['MINED']);
    await expect
      .poll(async () => {
        await gateway.observe();
        return (await ground.row(signed)).status;
      }, patience)
      .toBe('SETTLED');
  });

  const [transfer, ...others] = await transfers();
  expect(others).toEqual([]);
  expect(transfer).toMatchObject({ from: getAddress(signed.signed.from), to: evm.merchant.address, value: 10_000n });
  expect(gained).toEqual({ payer: -10_000n, merchant: 10_000n, fee: 0n, escrow: 0n });
  const first = await ground.settle(signed);
  expect(first).toMatchObject({ success: true, transaction: transfer?.transactionHash, replayed: false });
  const again = await Promise.all([1, 2, 3].map((attempt) => ground.settle(signed, { attemptId: `again-${attempt}` })));
  for (const answer of again) expect(answer).toEqual({ ...first, replayed: true });
  const id = first.paymentIntentId ?? '';
  expect(await gateway.read(id)).toMatchObject({ status: 'SETTLED', authorizationTxHash: transfer?.transactionHash });
  expect(await gateway.steps(id)).toEqual(['SETTLE CONFIRMED']);
  expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled']);
  expect(await ground.books(id)).toEqual(['PAYER TRANSFER -10000', 'MERCHANT TRANSFER 10000']);
  expect(await database.outgoingTransaction.count()).toBe(1);
}, 240_000);
