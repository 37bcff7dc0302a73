import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from '../../../src/operations/check-books.ts';
import { verify } from '../../../src/operations/verify.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { expirePaymentIntent } from '../../../src/payments/actions/expire-payment-intent.ts';
import { openDispute } from '../../../src/payments/actions/open-dispute.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { openSolanaGateway, type Quoted, type SolanaGateway } from '../../setup/gateway/solana-gateway.ts';

const AMOUNT = 10_000_000n;

let gateway: SolanaGateway;
beforeAll(async () => {
  gateway = await openSolanaGateway();
  // What holds nothing cannot take a fee of so few lamports.
  const { solana } = gateway;
  const [payer] = solana.payers;
  const toPubkey = new PublicKey(solana.feeRecipient.address);
  const fund = SystemProgram.transfer({ fromPubkey: new PublicKey(payer.address), toPubkey, lamports: 10_000_000 });
  await solana.send(new Transaction().add(fund), [solana.keypairOf(payer)]);
}, 60_000);

/** After each test, the vaults hold the amounts of the ledger. */
afterEach(async () => {
  await gateway.settleDown();
  const { chain, books } = await gateway.books();
  expect(books).toEqual(chain);
});

/** Of the payer, the merchant and the fee's recipient, in the quote's token. */
async function balances({ token, terms }: Pick<Quoted, 'token' | 'terms'>) {
  const { solana } = gateway;
  const wallets = { payer: terms.payer, merchant: terms.merchant, fee: solana.feeRecipient.address };
  const read = async (wallet: string) =>
    token
      ? await solana.tokenBalance(token, wallet)
      : BigInt(await solana.connection.getBalance(new PublicKey(wallet), 'confirmed'));
  const [payer, merchant, fee] = await Promise.all(Object.values(wallets).map(read));
  return { payer: payer ?? 0n, merchant: merchant ?? 0n, fee: fee ?? 0n };
}

const statusOf = async ({ intent }: Quoted) => (await gateway.read(intent.id)).status;

async function strays({ intent }: Quoted): Promise<unknown[]> {
  const rows = await gateway.database.paymentTerms.findMany({
    where: { paymentIntentId: intent.id, quoteId: null },
    orderBy: { createdAt: 'asc' },
  });
  return rows.map((row) => Object(row.terms).stray?.reason).filter((reason) => reason !== undefined);
}

describe('a payment on Solana', () => {
  it('is pending when confirmed, captured when final, and settled less the fee after its timelock', async () => {
    const { solana } = gateway;
    const quoted = await gateway.quote();
    const before = await balances(quoted);
    const signature = await gateway.pay(quoted);
    await gateway.observe();
    expect(await gateway.events(quoted.intent.id)).toEqual(['pending']);
    expect(await statusOf(quoted)).toBe('CREATED');
    await expect(
      cancelPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
    solana.advance();
    await gateway.observe();
    expect(await gateway.events(quoted.intent.id)).toEqual(['pending', 'authorized', 'captured']);
    const intent = await gateway.read(quoted.intent.id);
    expect(intent).toMatchObject({
      status: 'CAPTURED',
      authorizationTxHash: signature,
      captureTxHash: signature,
      authorizationWalletAddress: quoted.terms.payer,
      authorizationMethod: 'DIRECT',
      cryptoTokenKey: solana.usdc.key,
    });
    expect(intent.timelockEndsAt?.getTime()).toBe((intent.capturedAt?.getTime() ?? 0) + 100_000);
    const events = await gateway.database.event.findMany({
      where: { resourceId: intent.id },
      orderBy: { sequence: 'asc' },
    });
    expect(events.map((event) => Object(event.finality).isFinal)).toEqual([false, true, true]);
    await gateway.settleDown();
    expect(await statusOf(quoted)).toBe('CAPTURED');

    gateway.passTime(101);
    await gateway.settleDown();
    expect(await gateway.steps(intent.id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED', 'SETTLE CONFIRMED']);
    expect(await statusOf(quoted)).toBe('SETTLED');
    const after = await balances(quoted);
    expect(after.payer - before.payer).toBe(-AMOUNT);
    expect(after.merchant - before.merchant).toBe(9_900_000n);
    expect(after.fee - before.fee).toBe(100_000n);
    expect(await solana.connection.getAccountInfo(new PublicKey(quoted.terms.vault))).toBeNull();
  });

  it.each(['SOL', 'PYUSD'])('is settled and refunded exactly in %s', async (symbol) => {
    const { solana } = gateway;
    const token = symbol === 'SOL' ? null : solana.pyusd;
    const [settled, refunded] = [await gateway.quote(null, token), await gateway.quote(null, token)];
    await gateway.pay(settled);
    await gateway.pay(refunded);
    await gateway.settleDown();
    const before = await balances(settled);
    await refundPaymentIntent(gateway.world, { scope: gateway.scope, id: refunded.intent.id, reason: 'Broken' });
    await gateway.settleDown();
    expect(await statusOf(refunded)).toBe('REFUNDED');
    expect((await balances(settled)).payer - before.payer).toBe(AMOUNT);
    gateway.passTime(101);
    await gateway.settleDown();
    expect(await statusOf(settled)).toBe('SETTLED');
    const after = await balances(settled);
    expect([after.merchant - before.merchant, after.fee - before.fee]).toEqual([9_900_000n, 100_000n]);
  });

  it('can be refunded once, only in full, and is never settled afterwards', async () => {
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    await gateway.settleDown();
    const before = await balances(quoted);
    const refund = (rest: object) =>
      refundPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No', ...rest });
    await expect(refund({ amount: '1' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refund({})).toMatchObject({ amount: '10000000', leftoverAfter: '0', tokenKey: 'USDC-103' });
    await expect(refund({})).rejects.toMatchObject({ code: 'INVALID_STATE' });
    gateway.passTime(101);
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual(['authorized', 'captured', 'refund_pending', 'refunded']);
    expect((await balances(quoted)).payer - before.payer).toBe(AMOUNT);
    expect(await gateway.read(quoted.intent.id)).toMatchObject({ status: 'REFUNDED', refundReason: 'No' });
  });

  it('cannot be disputed, and reports so', async () => {
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    await gateway.settleDown();
    const dispute = openDispute(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No parcel' });
    await expect(dispute).rejects.toMatchObject({ code: 'INVALID_STATE', message: expect.stringContaining('Solana') });
  });
});

describe('the verification of payments on Solana', () => {
  it('compares each payment and each vault with the node, and finds a drift', async () => {
    const { world, database, solana } = gateway;
    const quoted = await gateway.quote();
    await gateway.pay(quoted, { amount: AMOUNT + 3n });
    await gateway.settleDown();
    const lines: string[] = [];
    const run = (what: string) => verify({ ...world, print: (line) => lines.push(line) }, { args: [what] });
    expect(await run(quoted.intent.id), lines.join('\n')).toBe(0);
    expect(await run('--all'), lines.join('\n')).toBe(0);
    expect(lines.join('\n')).toContain(`Chain ${solana.chainId}`);
    const where = { termsHash: quoted.termsHash, account: 'ESCROW' } as const;
    await database.ledgerEntry.updateMany({ where, data: { amount: { increment: 1 } } });
    expect(await run(quoted.intent.id)).toBe(1);
    const [books] = await checkBooks(world, { secondLookMs: 0 });
    expect(books?.drifts).toMatchObject([{ paymentIntentId: quoted.intent.id, booked: '10000001', left: '10000000' }]);
    await database.ledgerEntry.updateMany({ where, data: { amount: { decrement: 1 } } });
  });
});

describe('a transfer that does not pay', () => {
  it('is reported and returned if it is too little, and the quote can still be paid', async () => {
    const quoted = await gateway.quote();
    const before = await balances(quoted);
    await gateway.pay(quoted, { amount: AMOUNT - 1n });
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual(['mispaid']);
    expect(await gateway.steps(quoted.intent.id)).toEqual([
      'AUTHORIZE CONFIRMED',
      'CAPTURE CONFIRMED',
      'REFUND CONFIRMED',
    ]);
    expect(await strays(quoted)).toEqual(['SHORT']);
    expect(await balances(quoted)).toEqual(before);
    await gateway.pay(quoted);
    await gateway.settleDown();
    expect(await statusOf(quoted)).toBe('CAPTURED');
  });

  it('is reported and returned if it is in another token', async () => {
    const quoted = await gateway.quote();
    const other = { ...quoted, token: gateway.solana.pyusd };
    const before = await balances(other);
    await gateway.pay(quoted, { token: gateway.solana.pyusd });
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual(['mispaid']);
    expect(await strays(quoted)).toEqual(['WRONG_TOKEN']);
    expect(await balances(other)).toEqual(before);
    await cancelPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id });
    expect(await statusOf(quoted)).toBe('CANCELLED');
  });

  it('counts as the requested amount if it is too much, and the rest is returned', async () => {
    const quoted = await gateway.quote();
    const before = await balances(quoted);
    await gateway.pay(quoted, { amount: AMOUNT + 7n });
    await gateway.settleDown();
    expect((await gateway.events(quoted.intent.id)).sort()).toEqual(['authorized', 'captured', 'overpaid']);
    expect(await strays(quoted)).toEqual(['EXCESS']);
    expect((await balances(quoted)).payer - before.payer).toBe(-AMOUNT);
    expect(await gateway.read(quoted.intent.id)).toMatchObject({ status: 'CAPTURED' });
  });

  it('is a second one of the same quote, and goes back to who sent it', async () => {
    const { solana } = gateway;
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    const other = { ...quoted, terms: { ...quoted.terms, payer: solana.payers[1].address } };
    const before = await balances(other);
    await gateway.pay(quoted, { from: solana.payers[1].address });
    await gateway.settleDown();
    expect(await strays(quoted)).toEqual(['SECOND']);
    expect(await balances(other)).toEqual(before);
    expect(await gateway.events(quoted.intent.id)).toContain('overpaid');
    expect(await statusOf(quoted)).toBe('CAPTURED');
  });

  it('is of the second of two quotes of one intent, which share a vault', async () => {
    const first = await gateway.quote();
    const second = await gateway.quote(first.intent, gateway.solana.usdc, { amount: 12_000_000n });
    const before = await balances(first);
    await gateway.pay(second);
    await gateway.settleDown();
    await gateway.pay(first);
    await gateway.settleDown();
    expect(await gateway.read(first.intent.id)).toMatchObject({ acceptedTermsHash: second.termsHash });
    expect(await gateway.events(first.intent.id)).toEqual(['authorized', 'captured', 'overpaid']);
    expect((await balances(first)).payer - before.payer).toBe(-12_000_000n);
  });

  it('is returned if it is late, and the expired intent stays cancelled', async () => {
    const now = gateway.clock.now();
    const intent = await gateway.intent({ expiresAt: now });
    const quoted = await gateway.quote(intent);
    await gateway.settleDown();
    await expirePaymentIntent(gateway.world, { paymentIntentId: intent.id });
    expect(await statusOf(quoted)).toBe('CREATED');
    gateway.passTime(700);
    await gateway.settleDown();
    expect(await statusOf(quoted)).toBe('CANCELLED');
    const before = await balances(quoted);
    await gateway.pay(quoted);
    await gateway.settleDown();
    expect(await gateway.events(intent.id)).toEqual(['cancelled', 'overpaid']);
    expect(await strays(quoted)).toEqual(['LATE']);
    expect(await balances(quoted)).toEqual(before);
  });

  it('is found by the sweep if it is later than the watcher looks', async () => {
    const quoted = await gateway.quote();
    gateway.passTime(5_000);
    await gateway.settleDown();
    const before = await balances(quoted);
    await gateway.pay(quoted, { named: false });
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual([]);
    await gateway.sweep();
    // Listening for vaults takes none from the next reading.
    await gateway.listened();
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual(['overpaid']);
    expect(await balances(quoted)).toEqual(before);
  });

  it('is for an intent that was cancelled meanwhile', async () => {
    const quoted = await gateway.quote();
    await cancelPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id });
    const before = await balances(quoted);
    await gateway.pay(quoted);
    await gateway.settleDown();
    expect(await gateway.events(quoted.intent.id)).toEqual(['cancelled', 'overpaid']);
    expect(await balances(quoted)).toEqual(before);
  });
});

describe('one transaction', () => {
  it('pays many orders, each counted once by its own vault', async () => {
    const { solana } = gateway;
    const orders = [await gateway.quote(), await gateway.quote(), await gateway.quote(null, null)];
    const instructions = orders.flatMap((order, index) =>
      gateway.transfer(order, index === 1 ? { amount: AMOUNT - 1n } : {}),
    );
    await solana.send(new Transaction().add(...instructions), [solana.keypairOf(solana.payers[0])]);
    await gateway.settleDown();
    expect(await Promise.all(orders.map(statusOf))).toEqual(['CAPTURED', 'CREATED', 'CAPTURED']);
    const [first, short, coin] = orders;
    if (!first || !short || !coin) throw new Error('Three orders.');
    expect((await gateway.read(first.intent.id)).cryptoAmount?.toFixed()).toBe(String(AMOUNT));
    expect(await strays(short)).toEqual(['SHORT']);
  });

  it('that names an order and pays nothing into its vault pays nothing', async () => {
    const { solana } = gateway;
    const [named, paid] = [await gateway.quote(), await gateway.quote()];
    const [open, pay] = gateway.transfer(paid);
    if (!open || !pay) throw new Error('Two instructions.');
    pay.keys.push({ pubkey: new PublicKey(named.terms.reference), isSigner: false, isWritable: false });
    await solana.send(new Transaction().add(open, pay), [solana.keypairOf(solana.payers[0])]);
    await gateway.settleDown();
    expect([await statusOf(named), await statusOf(paid)]).toEqual(['CREATED', 'CAPTURED']);
    const vault = getAssociatedTokenAddressSync(solana.usdc.mint, new PublicKey(named.terms.vaultOwner), true);
    expect(vault.toBase58()).toBe(named.terms.vault);
  });
});
