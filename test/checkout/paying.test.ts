import { encodeAbiParameters, erc20Abi, keccak256, stringToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { termsFromJson } from '../../src/escrow/terms.ts';
import { type CheckoutGround, openCheckoutGround, type Prepared } from './checkout-ground.ts';

let ground: CheckoutGround;
beforeAll(async () => {
  ground = await openCheckoutGround();
});

/** Prepares, does the steps, confirms, relays where it is relayed, and answers what the contract then holds. */
async function pay(way: { tokenKey: string; method: string; payer: number; input?: Record<string, unknown> }) {
  const { evm } = ground;
  const payer = evm.payers[way.payer] ?? evm.payers[0];
  const session = await ground.openSession(way.input);
  const prepared = await ground.prepare(session, {
    tokenKey: way.tokenKey,
    method: way.method,
    walletAddress: payer.address,
  });
  const { quote, steps }: Prepared = prepared.body.data;
  const { signatures, txHash } = await ground.doSteps(payer, steps);
  const confirmed = await ground.confirm(session, { quoteId: quote.id, signatures, txHash });
  expect(confirmed.body.data).toMatchObject({ status: 'OPEN', paymentIntentId: session.paymentIntentId });
  const terms = await ground.termsOf(quote.id);
  if (way.method !== 'DIRECT') await ground.relay(terms.termsHash);
  return { session, payer, quote, steps, terms, state: await ground.stateOf(terms.termsHash) };
}

const named = (steps: Prepared['steps']) =>
  steps.map((step) => (step.kind === 'signTypedData' ? step.name : step.kind));

/** A relayed payment stays under way until the projector sees it; here nobody does. */
async function finish(termsHash: string) {
  await ground.api.database.transaction.updateMany({ where: { termsHash }, data: { status: 'CONFIRMED' } });
}

describe('a prepared payment authorizes in the contract', () => {
  it('by DIRECT in the native coin with one transaction', async () => {
    const paid = await pay({ tokenKey: 'ETH-31337', method: 'DIRECT', payer: 0 });
    expect(named(paid.steps)).toEqual(['transaction']);
    expect(paid.quote.cryptoAmount).toBe('4000000000000000');
    expect(paid.state).toMatchObject({ status: 'CAPTURED', left: 4_000_000_000_000_000n });
  });

  it('by DIRECT in a token with an approval of exactly the amount and a payment', async () => {
    const paid = await pay({ tokenKey: 'USDC-31337', method: 'DIRECT', payer: 0 });
    expect(named(paid.steps)).toEqual(['transaction', 'transaction']);
    expect(paid.state).toMatchObject({ status: 'CAPTURED', left: 10_000_000n });
  });

  it('by DIRECT with a reset, an approval and a payment if the token requires a reset', async () => {
    const { evm } = ground;
    const payer = evm.payers[0];
    await ground.send(payer, { to: evm.usdt.address, data: approveData(evm.escrow, 5n), value: 0n });
    const paid = await pay({ tokenKey: 'USDT-31337', method: 'DIRECT', payer: 0 });
    expect(named(paid.steps)).toEqual(['transaction', 'transaction', 'transaction']);
    expect(paid.state.status).toBe('CAPTURED');
  });

  it('by DIRECT with the payment alone if the allowance suffices', async () => {
    const { evm } = ground;
    const payer = evm.payers[0];
    await ground.send(payer, { to: evm.usdt.address, data: approveData(evm.escrow, 10_000_000n), value: 0n });
    const paid = await pay({ tokenKey: 'USDT-31337', method: 'DIRECT', payer: 0 });
    expect(named(paid.steps)).toEqual(['transaction']);
    expect(paid.state.status).toBe('CAPTURED');
  });

  it('by PERMIT with one signature that the operator relays if the token has ERC-3009', async () => {
    const paid = await pay({ tokenKey: 'USDC-31337', method: 'PERMIT', payer: 1 });
    expect(named(paid.steps)).toEqual(['receive']);
    expect(paid.state).toMatchObject({ status: 'CAPTURED', left: 10_000_000n });
    const quote = await ground.api.database.quote.findUniqueOrThrow({ where: { id: paid.quote.id } });
    expect(quote.signature).toMatch(/^0x[0-9a-f]{130}$/);
    await finish(paid.terms.termsHash);
  });

  it('by PERMIT with a permit of exactly the amount and a consent if the token has only EIP-2612', async () => {
    const paid = await pay({ tokenKey: 'USDP-31337', method: 'PERMIT', payer: 1 });
    expect(named(paid.steps)).toEqual(['permit', 'consent']);
    expect(paid.steps[0]).toMatchObject({ typedData: { message: { value: '10000000' } } });
    expect(paid.state).toMatchObject({ status: 'CAPTURED', left: 10_000_000n });
    const allowance = await ground.evm.publicClient.readContract({
      address: ground.evm.usdc.address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [paid.payer.address, ground.evm.escrow],
    });
    expect(allowance).toBe(0n);
    await finish(paid.terms.termsHash);
  });

  it('by APPROVAL with an approval and a consent, which the operator relays', async () => {
    const paid = await pay({ tokenKey: 'USDT-31337', method: 'APPROVAL', payer: 2 });
    expect(named(paid.steps)).toEqual(['transaction', 'consent']);
    expect(paid.state).toMatchObject({ status: 'CAPTURED', left: 10_000_000n });
    await finish(paid.terms.termsHash);
  });

  it('without a capture if the capture mode is MANUAL', async () => {
    const paid = await pay({ tokenKey: 'ETH-31337', method: 'DIRECT', payer: 0, input: { captureMode: 'MANUAL' } });
    expect(paid.state.status).toBe('AUTHORIZED');
  });
});

describe('the terms', () => {
  it("carry the merchant's payout address, the app's rules and the operator's signature, under the contract's own hash", async () => {
    const { evm, api } = ground;
    const session = await ground.openSession();
    const prepared = await ground.prepare(session, {
      tokenKey: 'USDC-31337',
      method: 'DIRECT',
      walletAddress: evm.payers[0].address,
    });
    const row = await ground.termsOf(prepared.body.data.quote.id);
    const terms = termsFromJson(row.terms);
    const app = await api.database.app.findUniqueOrThrow({ where: { id: api.merchantA.appId } });
    const { timestamp } = await evm.publicClient.getBlock();
    expect(terms).toMatchObject({
      payer: evm.payers[0].address,
      merchant: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amount: 10_000_000n,
      timelock: app.timelockDuration,
      disputeWindow: app.disputeStartDuration,
      feeBps: app.platformFeeBps,
      feeRecipient: evm.feeRecipient.address,
      operator: evm.operator.address,
      arbiter: evm.arbiter.address,
      captureOnAuthorize: true,
    });
    expect(terms.captureBy).toBe(terms.authorizeBy + app.captureDeadline);
    expect(terms.authorizeBy).toBeGreaterThanOrEqual(Number(timestamp) + 600 + 120);
    const id = await evm.publicClient.readContract({
      address: evm.escrow,
      abi: escrowAbi,
      functionName: 'idOf',
      args: [terms],
    });
    expect(row.termsHash).toBe(id);
  });
});

describe('a quote', () => {
  it('reports the prices that it is based on, whose hash is in the signed terms', async () => {
    const items = [{ name: 'Tea', amount: '10.00', currency: 'EUR' }];
    const session = await ground.openSession({ items });
    const answer = await ground.api.graphql(
      `mutation ($id: ID!, $input: PrepareCheckoutInput!) {
        prepareCheckout(id: $id, input: $input) {
          quote { id cryptoAmount evidence { asset priceUsd sources { source priceUsd at } } }
        }
      }`,
      {
        id: session.id,
        input: {
          chainId: ground.evm.chainId,
          tokenKey: 'ETH-31337',
          method: 'DIRECT',
          walletAddress: ground.evm.payers[0].address,
        },
      },
      { clientSecret: session.clientSecret },
    );
    const { quote } = answer.data.prepareCheckout;
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(quote.evidence).toEqual([
      { asset: 'ETH', priceUsd: '2500', sources: [{ source: 'fixed', priceUsd: '2500', at }] },
      { asset: 'EUR', priceUsd: '1.1', sources: [{ source: 'fixed', priceUsd: '1.1', at }] },
    ]);
    const [eth, eur] = quote.evidence;
    const text = `ETH 2500\n- fixed 2500 ${eth.sources[0].at}\nEUR 1.1\n- fixed 1.1 ${eur.sources[0].at}\n`;
    const preimage = encodeAbiParameters(
      [
        { type: 'uint256' },
        { type: 'bytes32' },
        { type: 'uint256' },
        { type: 'string' },
        { type: 'string' },
        { type: 'bytes32' },
      ],
      [
        31337n,
        `0x${quote.id.replaceAll('-', '').padStart(64, '0')}`,
        BigInt(quote.cryptoAmount),
        '10.00',
        'EUR',
        keccak256(stringToBytes(text)),
      ],
    );
    const { terms } = await ground.termsOf(quote.id);
    expect(termsFromJson(terms).quoteHash).toBe(keccak256(preimage));
  });
});
