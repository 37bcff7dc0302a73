/** Payers whose account is a contract that accepts signatures of its owner (ERC-1271). */
import {
  getAddress,
  type Hex,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  size,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import { deployContractWallet, wrappedSignature } from '../../setup/chains/contract-wallet.ts';
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

it.each(['exact', 'escrow'] as const)('accepts a payment by %s signed by the owner of a contract', async (scheme) => {
  const before = await balance();
  const body = await ground.pay(payer, await ground.offer(scheme));
  expect(await ground.verify(body)).toMatchObject({ isValid: true, payer: getAddress(wallet.address) });
  expect(await ground.settleAtWork(body)).toMatchObject({ success: true, replayed: false });
  expect(before - (await balance())).toBe(10_000_000n);
});

it.each(['exact', 'escrow'] as const)('rejects a payment by %s with the signature of another key', async (scheme) => {
  const before = await balance();
  const forged = await ground.pay({ ...payer, privateKey: stranger.privateKey }, await ground.offer(scheme));
  const reason = `invalid_${scheme === 'exact' ? 'exact_evm' : 'escrow_payload'}_signature`;
  expect(await ground.verify(forged)).toMatchObject({ isValid: false, invalidReason: reason });
  expect(await ground.settle(forged)).toMatchObject({ success: false, errorReason: reason });
  expect(await balance()).toBe(before);
});

type SignHash = (request: { hash: Hex }) => Promise<Hex>;

/** Signs with `key`, and gives the signature another form. */
const inForm =
  (form: (signature: Hex) => Hex, key: Hex = owner.privateKey): SignHash =>
  async ({ hash }) =>
    form(await privateKeyToAccount(key).sign({ hash }));
const compact = (signature: Hex) => serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));

describe.each(['exact', 'escrow'] as const)('a contract that pays by %s', (scheme) => {
  it.each([
    ["wrapped with the owner's index, in 192 bytes", 192, wrappedSignature],
    ['in its compact form of 64 bytes', 64, compact],
  ])('pays once with a signature %s', async (_, bytes, form) => {
    const before = await balance();
    const body = await ground.pay(payer, await ground.offer(scheme), inForm(form));
    expect(size(signatureOf(body))).toBe(bytes);
    expect(await ground.verify(body)).toMatchObject({ isValid: true, payer: getAddress(wallet.address) });
    const outcome = await ground.settleAtWork(body);
    expect(outcome).toMatchObject({ success: true, replayed: false });
    expect(await ground.settle(body)).toEqual({ ...outcome, replayed: true });
    expect(before - (await balance())).toBe(10_000_000n);
  });

  it.each([
    ['is wrapped, and of somebody else', inForm(wrappedSignature, stranger.privateKey)],
    [
      'is wrapped, and of the payer for something else',
      inForm((signature) => wrappedSignature(`0x01${signature.slice(4)}`)),
    ],
    ['has 66 bytes', inForm((signature) => `${signature}00`)],
    ['has one byte', inForm(() => '0x1b')],
  ])('is refused when its signature %s, and nothing is charged', async (_, sign) => {
    const before = await balance();
    const intents = await gateway.database.paymentIntent.count();
    const body = await ground.pay(payer, await ground.offer(scheme), sign);
    const reason = `invalid_${scheme === 'exact' ? 'exact_evm' : 'escrow_payload'}_signature`;
    expect(await ground.verify(body)).toMatchObject({ isValid: false, invalidReason: reason });
    expect(await ground.settle(body)).toMatchObject({ success: false, errorReason: reason, retryable: false });
    expect(await gateway.database.paymentIntent.count()).toBe(intents);
    expect(await balance()).toBe(before);
  });
});

function signatureOf(body: object): Hex {
  const { paymentPayload } = body as { paymentPayload: { payload: { signature: Hex } } };
  return paymentPayload.payload.signature;
}
