/** What the overview says became of the money is what the ledger says. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';

let api: TestApi;
const QUERY = `query ($appId: ID) { overview(appId: $appId) { books { tokenKey chainId currency
  received { units value } held { units value } settled { units value } returned { units value } fees { units value } } } }`;

/** One payment of 10 in 10 USDC, with its entries. */
async function pay(appId: string, currency: string, entries: [kind: string, moved: Record<string, bigint>][]) {
  const intent = await api.database.paymentIntent.create({
    data: {
      id: newId(),
      appId,
      amount: '10',
      currency,
      captureMode: 'AUTOMATIC',
      timelockDuration: 1,
      disputeStartDuration: 1,
      platformFeeBps: 100,
      cryptoAmount: '10000000',
      cryptoTokenKey: 'USDC-31337',
      authorizationChainId: 31337,
    },
  });
  await api.database.ledgerEntry.createMany({
    data: entries.flatMap(([kind, moved], index) =>
      Object.entries(moved).map(([account, amount]) => ({
        id: newId(),
        paymentIntentId: intent.id,
        termsHash: intent.id,
        chainId: 31337,
        tokenKey: 'USDC-31337',
        account: account as 'PAYER' | 'ESCROW' | 'MERCHANT' | 'FEE',
        amount: String(amount),
        kind,
        txHash: '0x01',
        blockHash: intent.id,
        logIndex: index,
      })),
    ),
  });
}

const authorized = ['AUTHORIZE', { PAYER: -10_000_000n, ESCROW: 10_000_000n }] as const;

beforeAll(async () => {
  api = await openApi();
  const { appId } = api.merchantA;
  await pay(appId, 'USD', [
    [...authorized],
    ['CAPTURE', { PAYER: 1_000_000n, ESCROW: -1_000_000n }],
    ['REFUND', { PAYER: 2_500_000n, ESCROW: -2_500_000n }],
    ['SETTLE', { ESCROW: -6_500_000n, MERCHANT: 6_435_000n, FEE: 65_000n }],
  ]);
  await pay(appId, 'USD', [[...authorized]]);
  // Taken by a reorganisation, and not come back.
  await pay(appId, 'USD', [[...authorized], ['REVERSE_AUTHORIZE', { PAYER: 10_000_000n, ESCROW: -10_000_000n }]]);
  await pay(appId, 'EUR', [[...authorized]]);
  await pay(api.merchantB.appId, 'USD', [[...authorized]]);
});
afterAll(() => api.close());

test('accounts for every received unit as held, paid out, returned, or a fee', async () => {
  const { data } = await api.graphql(QUERY, {}, { key: api.merchantA.secretKey });
  const [euro, dollar] = data.overview.books;
  expect(dollar).toEqual({
    tokenKey: 'USDC-31337',
    chainId: 31337,
    currency: 'USD',
    received: { units: '20000000', value: '20.00' },
    held: { units: '10000000', value: '10.00' },
    // Of two halves of a cent one is rounded up: together they are what came in.
    settled: { units: '6435000', value: '6.44' },
    returned: { units: '3500000', value: '3.50' },
    fees: { units: '65000', value: '0.06' },
  });
  expect(euro).toMatchObject({ currency: 'EUR', received: { value: '10.00' }, held: { units: '10000000' } });
});

test('includes only the apps of the caller', async () => {
  const theirs = await api.graphql(QUERY, {}, { key: api.merchantB.secretKey });
  expect(theirs.data.overview.books).toMatchObject([{ currency: 'USD', received: { units: '10000000' } }]);
  const foreign = await api.graphql(QUERY, { appId: api.merchantB.appId }, { key: api.merchantA.secretKey });
  expect(foreign.errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
});
