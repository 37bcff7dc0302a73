/** `npm run demo` against a whole gateway with a real chain: every way of paying, through to SETTLED. */
import { erc20Abi } from 'viem';
import { expect, it } from 'vitest';
import { runDemo } from '../../src/local/demo/run-demo.ts';
import { localChain } from '../../src/local/local-chains.ts';
import { openRunningGateway } from '../setup/running-gateway.ts';

it('the demo pays by each method and by both kinds of permit, and the money adds up', async () => {
  const gateway = await openRunningGateway({ environment: { PRICE_TABLE: 'USDC=1,USDT=1,DAI=1,ETH=2500,EUR=1.1' } });
  const { evm, url, key, scope, database } = gateway;
  await database.app.update({
    where: { id: scope.appId },
    data: { timelockDuration: 2, disputeStartDuration: 2 },
  });
  const { escrow, confirmations, tokens } = localChain(evm.chainId);
  const dai = tokens.find(({ symbol }) => symbol === 'DAI');
  const demo = {
    ...{ restUrl: url, graphqlUrl: `${url}/graphql`, cardUrl: url, appId: scope.appId, secretKey: key },
    publishableKey: 'unused',
    chains: [{ chainId: evm.chainId, rpcUrl: evm.rpcUrl, escrow, confirmations, tokens }],
    payers: evm.payers.map(({ address, privateKey }) => ({ address, privateKey })),
  };
  const lines: string[] = [];
  // Settlement needs blocks of the present: a chain that mines only what is sent has none.
  const mining = setInterval(() => evm.testClient.mine({ blocks: 1 }).catch(() => undefined), 1000);
  try {
    const { payments, faults } = await runDemo({ demo, print: (line) => lines.push(line) }, { limitMs: 120_000 });
    expect(faults).toEqual([]);
    expect(payments.map(({ method, token }) => [method, token.symbol])).toEqual([
      ['DIRECT', 'USDC'],
      ['PERMIT', 'USDC'],
      ['PERMIT', 'DAI'],
      ['APPROVAL', 'USDT'],
    ]);
    const signed = lines.flatMap((line) => /payer signed: (\w+)/.exec(line)?.[1] ?? []);
    expect(signed).toEqual(['receive', 'permit', 'consent', 'consent']);
    const [, , permitted] = payments;
    expect(permitted?.paid).toBe(5_250_000_000_000_000_000n);
    const intent = await database.paymentIntent.findUniqueOrThrow({ where: { id: permitted?.paymentIntentId ?? '' } });
    expect(intent).toMatchObject({ status: 'SETTLED', authorizationMethod: 'PERMIT', cryptoTokenKey: dai?.key });
    const allowance = await evm.publicClient.readContract({
      address: permitted?.token.address ?? '0x',
      abi: erc20Abi,
      functionName: 'allowance',
      args: [permitted?.parties.payer ?? '0x', evm.escrow],
    });
    expect(allowance).toBe(0n);
  } finally {
    clearInterval(mining);
  }
}, 600_000);
