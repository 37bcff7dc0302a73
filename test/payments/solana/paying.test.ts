import { beforeAll, describe, expect, it } from 'vitest';
import { openSolanaGateway, type SolanaGateway } from '../../setup/solana-gateway.ts';

let gateway: SolanaGateway;
beforeAll(async () => {
  gateway = await openSolanaGateway();
}, 60_000);

async function booksAgree() {
  const { chain, books } = await gateway.books();
  expect(books).toEqual(chain);
}

describe('a payment on Solana', () => {
  it('is told pending when confirmed, captured when final, and settled after its timelock less the fee', async () => {
    const { solana } = gateway;
    const quoted = await gateway.quote();
    const rentBefore = await solana.connection.getBalance(solana.keypairOf(solana.operator).publicKey);
    const signature = await gateway.pay(quoted);
    await gateway.observe();
    expect(await gateway.events(quoted.intent.id)).toEqual(['pending']);
    expect((await gateway.read(quoted.intent.id)).status).toBe('CREATED');
    solana.advance();
    await gateway.observe();
    expect(await gateway.events(quoted.intent.id)).toEqual(['pending', 'authorized', 'captured']);
    const intent = await gateway.read(quoted.intent.id);
    expect(intent).toMatchObject({
      status: 'CAPTURED',
      authorizationTxHash: signature,
      captureTxHash: signature,
      authorizationWalletAddress: solana.payers[0].address,
      authorizationMethod: 'DIRECT',
      cryptoTokenKey: solana.usdc.key,
    });
    expect(intent.timelockEndsAt?.getTime()).toBe((intent.capturedAt?.getTime() ?? 0) + 100_000);
    await booksAgree();
    await gateway.settleDown();
    expect((await gateway.read(quoted.intent.id)).status).toBe('CAPTURED');

    gateway.passTime(101);
    await gateway.settleDown();
    expect(await gateway.steps(quoted.intent.id)).toEqual([
      'AUTHORIZE CONFIRMED',
      'CAPTURE CONFIRMED',
      'SETTLE CONFIRMED',
    ]);
    expect((await gateway.read(quoted.intent.id)).status).toBe('SETTLED');
    expect(await solana.tokenBalance(solana.usdc, solana.merchant.address)).toBe(9_900_000n);
    expect(await solana.tokenBalance(solana.usdc, solana.feeRecipient.address)).toBe(100_000n);
    expect(rentBefore).toBeGreaterThan(0);
    await booksAgree();
  });
});
