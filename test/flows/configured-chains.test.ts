/** Payments with additions of CHAINS_FILE: a token with a new symbol, and a new chain. */
import { expect, it } from 'vitest';
import { balanceFaults, gains } from '../../src/local/demo/balances.ts';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { type Method, payByMethod } from '../../src/local/demo/pay-by-method.ts';
import { localTokens } from '../../src/local/local-tokens.ts';
import { openCoinGecko, openKraken } from '../setup/chains/price-servers.ts';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';
import { settlingDemo } from '../setup/gateway/settling-demo.ts';

const limitMs = 240_000;
const SEPOLIA = 11_155_111;
const CREDITS = 424_242;

/** Pays 10 USD, from the call to SETTLED. */
async function settle(gateway: RunningGateway, way: { key: string; symbol: string; method: Method; address: string }) {
  const { key, symbol, method, address } = way;
  const demo = await settlingDemo(gateway, [{ key, address, decimals: 18 }]);
  const [payer] = demo.payers;
  if (!payer) throw new Error('There is no payer.');
  const client = openGatewayClient(demo, limitMs);
  const world = { demo, gateway: client, onMoment: () => undefined, settleLimitMs: limitMs };
  const payment = await payByMethod(world, { method, symbol, amount: '10.00', chainId: gateway.evm.chainId, payer });
  const intent = await gateway.database.paymentIntent.findUniqueOrThrow({ where: { id: payment.paymentIntentId } });
  return { payment, intent };
}

it('a token with a new symbol on a built-in chain is priced by both markets and settles', async () => {
  const [gecko, kraken] = await Promise.all([openCoinGecko(), openKraken()]);
  gecko.prices = { gho: '0.5', 'usd-coin': '1.0', eur: '0.8' };
  kraken.prices = { GHOUSD: '0.5', USDCUSD: '1.0', ZEURZUSD: '1.25' };
  const address = localTokens(SEPOLIA).find(({ symbol }) => symbol === 'DAI')?.address ?? '';
  const gho = {
    symbol: 'GHO',
    name: 'Gho Token',
    decimals: 18,
    address,
    permit: { name: 'Dai Stablecoin', version: '1' },
    price: { coinGecko: 'gho', kraken: 'GHOUSD' },
  };
  const gateway = await openRunningGateway({
    chainId: SEPOLIA,
    chains: (evm) => [{ chainId: SEPOLIA, confirmations: 1, rpcUrl: evm.rpcUrl, tokens: [gho] }],
    environment: {
      [`RPC_URL_${SEPOLIA}`]: '',
      PRICE_SOURCE: 'market',
      COINGECKO_URL: gecko.url,
      KRAKEN_URL: kraken.url,
    },
  });
  const price = await gateway.rest('GET', '/prices?asset=GHO&amountFiat=10');
  expect(price.body.data).toMatchObject({ tokenAmount: '20' });
  const paid = await settle(gateway, { key: `GHO-${SEPOLIA}`, symbol: 'GHO', method: 'PERMIT', address });
  expect(paid.payment.paid).toBe(20_000_000_000_000_000_000n);
  expect(balanceFaults(gains(paid.payment.before, paid.payment.after), paid.payment.paid)).toEqual([]);
  expect(paid.intent).toMatchObject({ status: 'SETTLED', cryptoTokenKey: `GHO-${SEPOLIA}` });
}, 900_000);

it('a new chain with a new token that is pegged to the dollar settles', async () => {
  const address = localTokens(CREDITS).find(({ symbol }) => symbol === 'DAI')?.address ?? '';
  const gateway = await openRunningGateway({
    chainId: CREDITS,
    chains: (evm) => [
      {
        chainId: CREDITS,
        name: 'Credits',
        family: 'EVM',
        testnet: true,
        native: { symbol: 'CRD', decimals: 18, price: { peg: 'ETH' } },
        rpcUrl: evm.rpcUrl,
        tokens: [{ symbol: 'XUSD', decimals: 18, address, price: { peg: 'USD' } }],
      },
    ],
    environment: { [`RPC_URL_${CREDITS}`]: '' },
  });
  const coin = await gateway.rest('GET', `/prices?asset=CRD-${CREDITS}`);
  expect(coin.body.data).toMatchObject({ priceFiat: 2500 });
  const paid = await settle(gateway, { key: `XUSD-${CREDITS}`, symbol: 'XUSD', method: 'DIRECT', address });
  expect(paid.payment.paid).toBe(10_000_000_000_000_000_000n);
  expect(balanceFaults(gains(paid.payment.before, paid.payment.after), paid.payment.paid)).toEqual([]);
  expect(paid.intent).toMatchObject({ status: 'SETTLED', cryptoTokenKey: `XUSD-${CREDITS}` });
}, 900_000);
