/** `npm run demo` against a whole gateway with a real chain: every method of payment, until SETTLED. */
import { erc20Abi } from 'viem';
import { expect, it } from 'vitest';
import { runDemo } from '../../src/local/demo/run-demo.ts';
import { openRunningGateway } from '../setup/gateway/running-gateway.ts';
import { settlingDemo } from '../setup/gateway/settling-demo.ts';

it('the demo pays with every method, both permits and a plain transfer, and the balances add up', async () => {
  const gateway = await openRunningGateway();
  const { evm, database } = gateway;
  const demo = await settlingDemo(gateway);
  const lines: string[] = [];
  const { payments, faults } = await runDemo({ demo, print: (line) => lines.push(line) }, { limitMs: 240_000 });
  expect(faults).toEqual([]);
  expect(payments.map(({ method, token }) => [method, token.symbol])).toEqual([
    ['DIRECT', 'USDC'],
    ['PERMIT', 'USDC'],
    ['PERMIT', 'DAI'],
    ['APPROVAL', 'USDT'],
    ['TRANSFER', 'USDC'],
  ]);
  const signed = lines.flatMap((line) => /payer signed: (\w+)/.exec(line)?.[1] ?? []);
  expect(signed).toEqual(['receive', 'permit', 'consent', 'consent']);
  const [, , permitted] = payments;
  expect(permitted?.paid).toBe(5_250_000_000_000_000_000n);
  const intent = await database.paymentIntent.findUniqueOrThrow({ where: { id: permitted?.paymentIntentId ?? '' } });
  expect(intent).toMatchObject({ status: 'SETTLED', authorizationMethod: 'PERMIT', cryptoTokenKey: 'DAI-31337' });
  const allowance = await evm.publicClient.readContract({
    address: permitted?.token.address ?? '0x',
    abi: erc20Abi,
    functionName: 'allowance',
    args: [permitted?.parties.payer ?? '0x', evm.escrow],
  });
  expect(allowance).toBe(0n);
}, 1_200_000);
