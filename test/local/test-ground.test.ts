import { parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { openEvm } from '../setup/chains/evm.ts';
import { freshDatabase } from '../setup/database/database.ts';

const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address,uint256) returns (bool)',
]);

test('two databases of one test are isolated', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  await one.database.merchant.create({ data: { id: crypto.randomUUID(), name: 'One' } });
  expect(await one.database.merchant.count()).toBe(1);
  expect(await other.database.merchant.count()).toBe(0);
  await other.drop();
  await other.drop();
});

test('a test chain has multicall, tokens and escrow, and can be reset', async () => {
  const evm = await openEvm({ chainId: 31338 });
  const [payer] = evm.payers;
  const wallet = evm.walletFor(payer.privateKey);
  const transfer = { address: evm.usdc.address, abi: tokenAbi, functionName: 'transfer' } as const;
  const hash = await wallet.writeContract({ ...transfer, args: [evm.merchant.address, 5n] });
  const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  expect(evm.registry.enabled().map((chain) => chain.chainId)).toEqual([31338]);
  expect(evm.registry.tokenByAddress(31338, evm.usdt.address)?.key).toBe('USDT-31338');
  const balances = () =>
    evm.publicClient.multicall({
      allowFailure: false,
      contracts: [evm.usdc, evm.usdt].map(({ address }) => ({
        address,
        abi: tokenAbi,
        functionName: 'balanceOf' as const,
        args: [evm.merchant.address] as const,
      })),
    });
  expect(await balances()).toEqual([5n, 0n]);
  await evm.mine(2);
  await evm.reorg(3);
  expect(await balances()).toEqual([0n, 0n]);
  const after = await evm.publicClient.getBlock({ blockNumber: receipt.blockNumber });
  expect(after.hash).not.toBe(receipt.blockHash);
  const before = (await evm.publicClient.getBlock()).timestamp;
  await evm.passTime(3600);
  expect((await evm.publicClient.getBlock()).timestamp - before).toBeGreaterThanOrEqual(3600n);
});
