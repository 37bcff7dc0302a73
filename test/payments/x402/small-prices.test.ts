/** Prices of paid calls below a cent: what is offered, charged, printed and added up. */
import { beforeAll, expect, it } from 'vitest';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { readOverviewBooks } from '../../../src/payments/overview/read-overview-books.ts';
import { paymentIntentFields } from '../../../src/payments/payment-intent-fields.ts';
import { readJournal } from '../../../src/payments/reports/ledger/read-journal.ts';
import { readPayments } from '../../../src/payments/reports/read-payment-rows.ts';
import { createRequirements } from '../../../src/payments/x402/create-requirements.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import type { X402World } from '../../../src/payments/x402/x402-world.ts';
import { type ExactGround, openExactGround } from '../exact/exact-ground.ts';
import { settleAtWork } from './settle-at-work.ts';

let ground: ExactGround;
let world: X402World;
let scope: { merchantId: string; appId: string };

beforeAll(async () => {
  ground = await openExactGround();
  const { gateway, app } = ground;
  const { action, evm, database } = gateway;
  await database.payoutAddress.create({ data: { appId: app.id, family: 'EVM', address: evm.merchant.address } });
  scope = { merchantId: app.merchantId, appId: app.id };
  world = {
    ...action,
    feed: ground.feed,
    senderAddresses: [],
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    config: {
      ...action.config,
      quoteSeconds: 600,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
}, 120_000);

async function all<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const found: Part[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

/** The same chain with a token of so many decimals. */
const withDecimals = (decimals: number): X402World => ({
  ...world,
  registry: {
    ...world.registry,
    enabled: () =>
      world.registry
        .enabled()
        .map((chain) => ({ ...chain, tokens: chain.tokens.map((token) => ({ ...token, decimals })) })),
  },
});
const offersAt = async (price: string, at: X402World = world) =>
  await createRequirements(at, {
    scope,
    input: { price, resource: { url: 'https://api.example/weather' }, schemes: ['exact'], maxTimeoutSeconds: 10 },
  });

it.each([
  [6, '0.001', '1000'],
  [6, '0.000001', '1'],
  [6, '0.0015', '1500'],
  [18, '0.001', '1000000000000000'],
  [18, '0.000001', '1000000000000'],
  [2, '0.015', '2'],
])('converts, with %i decimals, %s USD to %s base units', async (decimals, price, amount) => {
  const { accepts } = await offersAt(price, withDecimals(decimals));
  expect(accepts).toMatchObject([{ scheme: 'exact', amount }]);
  const quote = String(accepts[0]?.extra.quote);
  const claims = JSON.parse(Buffer.from(quote.split('.')[0] ?? '', 'base64url').toString());
  expect(claims.price).toBe(price);
});

it('rejects a price below one base unit and reports the lowest possible price', async () => {
  const refused = offersAt('0.001', withDecimals(2));
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [
      {
        param: 'price',
        message: expect.stringMatching(
          /^is worth less than one base unit of the token; at least 0\.01 USD with USDC on /,
        ),
      },
    ],
  });
});

it('charges exactly the small price, and ledger, reports and evidence match it', async () => {
  const { gateway, app } = ground;
  const { database, registry } = gateway;
  const paid: string[] = [];
  for (const price of ['0.001', '0.0015', '0.01']) {
    const [offer] = (await offersAt(price)).accepts;
    if (!offer) throw new Error('Nothing is offered.');
    const { signed, signature } = await ground.sign({ value: BigInt(offer.amount) });
    const texts = {
      value: String(signed.value),
      validAfter: String(signed.validAfter),
      validBefore: String(signed.validBefore),
    };
    const payload = { authorization: { ...signed, ...texts }, signature };
    const input = {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: offer, payload },
      paymentRequirements: offer,
    };
    const settle = (body: object) => settleX402Payment(world, { scope, input: body });
    const [answer] = await settleAtWork(gateway, settle, [input]);
    expect(answer).toMatchObject({ success: true });
    paid.push(answer?.paymentIntentId ?? '');
    const intent = await gateway.read(answer?.paymentIntentId ?? '');
    expect(paymentIntentFields(intent)).toMatchObject({ status: 'SETTLED', amount: price, cryptoAmount: offer.amount });
  }
  const from = new Date(0);
  const to = new Date(Date.now() + 86_400_000);
  const [books] = await readOverviewBooks(database, { scope, from, to });
  expect(books?.received).toMatchObject({ units: 12_500n });
  expect([books?.received, books?.settled, books?.returned].map((sum) => sum?.value.toFixed())).toEqual([
    '0.0125',
    '0.0125',
    '0',
  ]);
  const request = { scope, period: { from, to } };
  const rows = (await all(readPayments({ database, registry }, request))).flat();
  expect(rows.map(({ amount_fiat, settled_tokens }) => [amount_fiat, settled_tokens])).toEqual([
    ['0.001', '0.001'],
    ['0.0015', '0.0015'],
    ['0.01', '0.01'],
  ]);
  const journal = await all(readJournal({ database, registry }, request));
  const transfers = journal.flatMap(({ entries }) => entries).filter(({ description }) => description === 'TRANSFER');
  expect(transfers.map(({ postings }) => postings[0]?.price)).toEqual(
    Array(3).fill({ of: 'UNIT', amount: '1', currency: 'USD' }),
  );
  for (const { tags } of transfers) expect(tags.find(([name]) => name === 'price-source')?.[1]).toContain('USDC 1 USD');
  const [row] = await database.exactAuthorization.findMany({ where: { appId: app.id }, take: 1 });
  expect(row?.evidence).toMatchObject([{ asset: 'USDC', priceUsd: '1' }]);
}, 120_000);

it('uses two decimals for every other payment', async () => {
  const { gateway, app } = ground;
  const intent = await gateway.database.paymentIntent.findFirstOrThrow({ where: { appId: app.id } });
  const change = (data: { amount: string; x402?: null }) =>
    gateway.database.paymentIntent.update({
      where: { id: intent.id },
      data: {
        amount: data.amount,
        ...(data.x402 === null ? { x402Resource: null, x402Scheme: null, x402Network: null } : {}),
      },
    });
  await expect(change({ amount: '0.001', x402: null })).rejects.toThrow('payment_intent_amount_digits');
  await expect(change({ amount: '0.0000001' })).rejects.toThrow('payment_intent_amount_digits');
  await expect(change({ amount: '1000000000000' })).rejects.toThrow('payment_intent_amount_digits');
});
