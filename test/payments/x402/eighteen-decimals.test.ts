/** Paid calls with a token of 18 decimals, whose amounts exceed what a `number` holds exactly, on a real chain. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { erc20Abi, type Hex } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { loadRegistry } from '../../../src/chains/registry.ts';
import { localAccounts } from '../../../src/local/local-accounts.ts';
import { localChain } from '../../../src/local/local-chains.ts';
import { usdcTokenAbi, usdcTokenCreationCode } from '../../../src/local/test-tokens.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { openX402Ground, type X402Ground } from './x402-ground.ts';

let gateway: Gateway;
let ground: X402Ground;

beforeAll(async () => {
  const evm = await openEvm();
  const address = await deployCoin(evm);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-eighteen-'));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
  const chainsFile = join(folder, 'chains.json');
  const coin = { key: `COIN-${evm.chainId}`, symbol: 'COIN', decimals: 18, address };
  const chain = localChain(evm.chainId);
  const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC');
  writeFileSync(chainsFile, JSON.stringify([{ ...chain, tokens: [{ ...usdc, ...coin }] }]));
  const registry = loadRegistry({ chainsFile, rpc: [evm.rpcSettings] });
  gateway = await openGateway({ evm: { ...evm, registry, usdc: coin } });
  gateway.setPrices('COIN=0.7');
  ground = await openX402Ground(gateway);
}, 120_000);

/** The code of the test token with ERC-3009, with another answer of `decimals`. */
async function deployCoin({
  walletFor,
  publicClient,
}: Pick<Gateway['evm'], 'walletFor' | 'publicClient'>): Promise<Hex> {
  const wallet = walletFor(localAccounts.payers[0].privateKey);
  const bytecode = hex(usdcTokenCreationCode.replace('60405160068152f3', '60405160128152f3'));
  const { contractAddress } = await publicClient.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi: usdcTokenAbi, bytecode }),
  });
  const address = contractAddress ?? '0x';
  const coin = { address, abi: usdcTokenAbi } as const;
  for (const { address: payer } of localAccounts.payers) {
    const mint = { ...coin, functionName: 'mint', args: [payer, 10n ** 24n] } as const;
    await publicClient.waitForTransactionReceipt({ hash: await wallet.writeContract(mint) });
  }
  expect(await publicClient.readContract({ ...coin, functionName: 'decimals' })).toBe(18);
  return address;
}

/** The price in millionths of a USD at 0.70 USD for one token, rounded up to a base unit. */
const baseUnits = (millionths: bigint) => (millionths * 10n ** 18n * 10n + 7_000_000n - 1n) / 7_000_000n;

it.each([
  ['exact', '0.123457', 123_457n],
  ['exact', '12.345678', 12_345_678n],
  ['escrow', '3.141594', 3_141_594n],
  ['escrow', '123.456789', 123_456_789n],
] as const)(
  'by %s, %s USD are charged to the last base unit',
  async (scheme, price, millionths) => {
    const [payer] = gateway.evm.payers;
    const amount = baseUnits(millionths);
    // A `number` cannot hold it.
    expect(BigInt(Number(amount))).not.toBe(amount);
    const offer = await ground.offer(scheme, { price });
    expect(offer).toMatchObject({ scheme, asset: gateway.evm.usdc.address, amount: amount.toString() });
    expect(numbersAbove(JSON.parse(JSON.stringify(offer)), Number.MAX_SAFE_INTEGER)).toEqual([]);
    if (scheme === 'escrow') expect(offer.extra).toMatchObject({ terms: { amount: amount.toString() } });

    const body = await ground.pay(payer, offer);
    expect(await ground.verify(body)).toMatchObject({ isValid: true });
    const payee = scheme === 'exact' ? gateway.evm.merchant.address : gateway.evm.escrow;
    const before = await balanceOf(payee);
    const gained = await gateway.gained(() => ground.settleAtWork(body));
    expect(gained.payer).toBe(-amount);
    expect((await balanceOf(payee)) - before).toBe(amount);
    const answer = await ground.settle(body);
    expect(answer).toMatchObject({ success: true, replayed: true, amount: amount.toString() });
    const id = answer.paymentIntentId ?? '';
    const intent = await gateway.read(id);
    expect(intent).toMatchObject({
      status: scheme === 'exact' ? 'SETTLED' : 'CAPTURED',
      cryptoTokenDecimals: 18,
      x402Scheme: scheme,
    });
    expect([intent.amount.toFixed(), intent.cryptoAmount?.toFixed()]).toEqual([price, amount.toString()]);
    const entries = await gateway.database.ledgerEntry.findMany({ where: { paymentIntentId: id } });
    expect(new Set(entries.map((entry) => BigInt(entry.amount.abs().toFixed())))).toEqual(new Set([amount]));
  },
  120_000,
);

const balanceOf = (address: Hex) =>
  gateway.evm.publicClient.readContract({
    address: gateway.evm.usdc.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  });

/** The numbers of a JSON value that exceed the limit. */
function numbersAbove(value: unknown, limit: number): number[] {
  if (typeof value === 'number') return value > limit ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) => numbersAbove(part, limit));
}
