/** Payers whose account is a contract that accepts signatures of its owner (ERC-1271). */
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import { deployContractWallet } from '../../setup/chains/contract-wallet.ts';
import { openGateway } from '../../setup/gateway/gateway.ts';
import { openX402Ground } from './x402-ground.ts';

const gateway = await openGateway();
const ground = await openX402Ground(gateway);
const { evm } = gateway;
const [owner, stranger] = evm.payers;
const wallet = await deployContractWallet(evm, owner);
const payer = { address: wallet.address, privateKey: owner.privateKey };
const minted = await evm.walletFor(owner.privateKey).writeContract({
  address: evm.usdc.address,
  abi: usdcTokenAbi,
  functionName: 'mint',
  args: [wallet.address, 100_000_000n],
});
await evm.publicClient.waitForTransactionReceipt({ hash: minted });
const balance = () =>
  evm.publicClient.readContract({
    address: evm.usdc.address,
    abi: usdcTokenAbi,
    functionName: 'balanceOf',
    args: [wallet.address],
  });

it.each(['exact', 'escrow'] as const)('a contract pays by %s with the signature of its owner', async (scheme) => {
  const before = await balance();
  const body = await ground.pay(payer, await ground.offer(scheme));
  expect(await ground.verify(body)).toMatchObject({ isValid: true, payer: getAddress(wallet.address) });
  expect(await ground.settleAtWork(body)).toMatchObject({ success: true, replayed: false });
  expect(before - (await balance())).toBe(10_000_000n);
});

it.each(['exact', 'escrow'] as const)('a signature of somebody else does not pay by %s', async (scheme) => {
  const before = await balance();
  const forged = await ground.pay({ ...payer, privateKey: stranger.privateKey }, await ground.offer(scheme));
  const reason = `invalid_${scheme === 'exact' ? 'exact_evm' : 'escrow_payload'}_signature`;
  expect(await ground.verify(forged)).toMatchObject({ isValid: false, invalidReason: reason });
  expect(await ground.settle(forged)).toMatchObject({ success: false, errorReason: reason });
  expect(await balance()).toBe(before);
});
