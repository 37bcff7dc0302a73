import { type Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readVitalSigns } from '../../../src/operations/health/vital-signs.ts';
import { verify } from '../../../src/operations/verify.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { crashing, runUntilCrash } from '../../setup/gateway/crashing.ts';
import { openSolanaGateway, type Quoted, type SolanaGateway } from '../../setup/gateway/solana-gateway.ts';

const AMOUNT = 10_000_000n;

let gateway: SolanaGateway;
let least: bigint;
beforeAll(async () => {
  gateway = await openSolanaGateway();
  least = BigInt(await gateway.solana.connection.getMinimumBalanceForRentExemption(0));
}, 60_000);

/** A wallet that holds nothing yet. */
let fresh: string;
beforeEach(() => {
  fresh = Keypair.generate().publicKey.toBase58();
});

/** Whatever a test did, the books say what vaults and kept shares hold. */
afterEach(async () => {
  await gateway.settleDown();
  const { chain, books } = await gateway.books();
  expect(books).toEqual(chain);
  const lines: string[] = [];
  const code = await verify({ ...gateway.world, print: (line) => lines.push(line) }, { args: ['--all'] });
  expect(code, lines.join('\n')).toBe(0);
});

const lamports = async (address: string) =>
  BigInt(await gateway.solana.connection.getBalance(new PublicKey(address), 'confirmed'));

const openPayouts = () => gateway.database.creditedPayout.findMany({ where: { recipient: fresh, deliveredAt: null } });

/** Pays the fee itself, so that the sender may give all it has. */
async function give(from: Keypair, to: string, amount: bigint): Promise<void> {
  const { solana } = gateway;
  const [, payer] = solana.payers;
  const transfer = SystemProgram.transfer({
    fromPubkey: from.publicKey,
    toPubkey: new PublicKey(to),
    lamports: amount,
  });
  const transaction = new Transaction().add(transfer);
  transaction.feePayer = new PublicKey(payer.address);
  await solana.send(transaction, [solana.keypairOf(payer), from]);
}

/** A captured payment in SOL of which the fee recipient, a wallet that holds nothing, gets the share. */
async function captured(fields: Partial<Quoted['terms']> = {}): Promise<Quoted> {
  const quoted = await gateway.quote(null, null, { feeRecipient: fresh, ...fields });
  await gateway.pay(quoted);
  await gateway.settleDown();
  return quoted;
}

async function settled(fields: Partial<Quoted['terms']> = {}): Promise<Quoted> {
  const quoted = await captured(fields);
  gateway.passTime(101);
  await gateway.settleDown();
  return quoted;
}

const statusOf = async ({ intent }: Quoted) => (await gateway.read(intent.id)).status;

describe('a share that its recipient cannot take yet', () => {
  it('is kept for it, and the others are paid', async () => {
    const before = await lamports(gateway.solana.merchant.address);
    const quoted = await settled();
    expect(await statusOf(quoted)).toBe('SETTLED');
    expect((await lamports(gateway.solana.merchant.address)) - before).toBe(9_900_000n);
    expect(await lamports(fresh)).toBe(0n);
    expect(await lamports(quoted.terms.vault)).toBe(0n);
    const [payout, ...others] = await openPayouts();
    expect(others).toEqual([]);
    expect(payout).toMatchObject({ role: 'FEE_RECIPIENT', recipient: fresh, tokenKey: 'SOL-103' });
    expect(payout?.amount.toFixed()).toBe('100000');
    expect(await lamports(payout?.keptAt ?? '')).toBe(least + 100_000n);
    expect(await gateway.events(quoted.intent.id)).toEqual(['authorized', 'captured', 'settled', 'payout_undelivered']);
    const entries = await gateway.database.ledgerEntry.findMany({ where: { termsHash: quoted.termsHash } });
    const sum = (account: string) =>
      entries
        .filter((entry) => entry.account === account)
        .reduce((total, { amount }) => total + BigInt(amount.toFixed()), 0n);
    const verifyIt = () => verify({ ...gateway.world, print: () => undefined }, { args: [quoted.intent.id] });
    expect(await verifyIt()).toBe(0);
    // More is to be kept than the account holds: that is a drift of the payment and of the chain.
    await gateway.database.creditedPayout.updateMany({ where: { recipient: fresh }, data: { amount: '900000000' } });
    expect(await verifyIt()).toBe(1);
    await gateway.database.creditedPayout.updateMany({ where: { recipient: fresh }, data: { amount: '100000' } });
    expect({ fee: sum('FEE'), undelivered: sum('UNDELIVERED'), escrow: sum('ESCROW') }).toEqual({
      fee: 0n,
      undelivered: 100_000n,
      escrow: 0n,
    });
  });

  it('is paid with the next one once both together can be taken, and the reserve goes back', async () => {
    const { operator } = gateway.solana;
    const before = await lamports(operator.address);
    const first = await settled({ feeBps: 500 });
    expect(await lamports(fresh)).toBe(0n);
    const [payout] = await openPayouts();
    const second = await settled({ feeBps: 500 });
    expect(await lamports(fresh)).toBe(1_000_000n);
    expect(await lamports(payout?.keptAt ?? '')).toBe(0n);
    // Fees of six signatures and no more.
    expect(before - (await lamports(operator.address))).toBeLessThan(100_000n);
    expect(await openPayouts()).toEqual([]);
    for (const { intent } of [first, second]) {
      expect((await gateway.events(intent.id)).slice(2)).toEqual(['settled', 'payout_undelivered', 'payout_delivered']);
    }
  });

  it('is paid with the next one that can be taken by itself', async () => {
    await settled();
    await settled({ feeBps: 1_000 });
    expect(await lamports(fresh)).toBe(1_100_000n);
    expect(await openPayouts()).toEqual([]);
  });

  it('is paid when its recipient has come to hold something', async () => {
    const quoted = await settled();
    const { solana } = gateway;
    await give(solana.keypairOf(solana.payers[0]), fresh, least);
    gateway.passTime(301);
    await gateway.settleDown();
    expect(await lamports(fresh)).toBe(least + 100_000n);
    expect((await gateway.events(quoted.intent.id)).at(-1)).toBe('payout_delivered');
  });

  it('is kept of the merchant too, and of both where neither can take theirs', async () => {
    const merchant = Keypair.generate().publicKey.toBase58();
    const quoted = await settled({ merchant, amount: 900_000n });
    expect(await statusOf(quoted)).toBe('SETTLED');
    const payouts = await gateway.database.creditedPayout.findMany({
      where: { paymentIntentId: quoted.intent.id },
      orderBy: { logIndex: 'asc' },
    });
    expect(payouts.map(({ role, recipient, amount }) => [role, recipient, amount.toFixed()])).toEqual([
      ['FEE_RECIPIENT', fresh, '9000'],
    ]);
    expect(await lamports(merchant)).toBe(891_000n);
    const other = Keypair.generate().publicKey.toBase58();
    const small = await settled({ merchant: other, amount: least });
    const both = await gateway.database.creditedPayout.findMany({
      where: { paymentIntentId: small.intent.id },
      orderBy: { logIndex: 'asc' },
    });
    expect(both.map(({ role, recipient }) => [role, recipient])).toEqual([
      ['MERCHANT', other],
      ['FEE_RECIPIENT', fresh],
    ]);
  });

  it('is paid once, however often the delivery is asked for, and what a stranger adds to it is nobody’s share', async () => {
    const { solana } = gateway;
    await settled({ feeBps: 500 });
    const [payout] = await openPayouts();
    await give(solana.keypairOf(solana.payers[0]), payout?.keptAt ?? '', 3n);
    await settled({ feeBps: 500 });
    for (let hour = 0; hour < 20; hour += 7) {
      gateway.passTime(7 * 3600);
      await gateway.settleDown();
    }
    expect(await lamports(fresh)).toBe(1_000_000n);
    expect(await lamports(payout?.keptAt ?? '')).toBe(least + 3n);
  });
});

describe('a stray deposit that its sender cannot take back', () => {
  it('does not prevent a settlement', async () => {
    const { solana } = gateway;
    const sender = Keypair.generate();
    const [payer] = solana.payers;
    const quoted = await captured();
    await give(solana.keypairOf(payer), sender.publicKey.toBase58(), least);
    // It gives all away, 7 lamports of them to the vault.
    const away = new Transaction().add(
      ...[
        { to: quoted.terms.vault, lamports: 7n },
        { to: payer.address, lamports: least - 7n },
      ].map(({ to, lamports: amount }) =>
        SystemProgram.transfer({ fromPubkey: sender.publicKey, toPubkey: new PublicKey(to), lamports: amount }),
      ),
    );
    away.feePayer = new PublicKey(payer.address);
    await solana.send(away, [solana.keypairOf(payer), sender]);
    await gateway.settleDown();
    await gateway.sweep();
    await gateway.settleDown();
    gateway.passTime(101);
    await gateway.settleDown();
    expect(await statusOf(quoted)).toBe('SETTLED');
    const payouts = await gateway.database.creditedPayout.findMany({
      where: { recipient: sender.publicKey.toBase58() },
    });
    expect(payouts.map(({ role, amount }) => [role, amount.toFixed()])).toEqual([['PAYER', '7']]);
  });
});

describe('a payout that waits for somebody to act', () => {
  const drain = async () => {
    const { operator, payers } = gateway.solana;
    await give(gateway.solana.keypairOf(operator), payers[0].address, await lamports(operator.address));
  };
  const refill = async () => {
    const { operator, payers } = gateway.solana;
    await give(gateway.solana.keypairOf(payers[0]), operator.address, 1_000_000_000n);
  };
  const waiting = async () => {
    const { undelivered } = await readVitalSigns(gateway.world, { now: gateway.clock.now() });
    return undelivered.filter(({ state }) => state === 'waiting').map(({ payouts }) => payouts);
  };
  const settlement = ({ intent }: Quoted) =>
    gateway.database.transaction.findFirstOrThrow({ where: { paymentIntentId: intent.id, type: 'SETTLE' } });

  it('reports its cause once, and is paid when possible', async () => {
    const quoted = await captured({ feeRecipient: gateway.solana.feeRecipient.address });
    await drain();
    gateway.passTime(101);
    await gateway.settleDown();
    gateway.passTime(60);
    await gateway.settleDown();
    expect(await settlement(quoted)).toMatchObject({
      status: 'PENDING',
      error: expect.stringContaining('too few to pay fees'),
    });
    const expected = ['payout_undelivered', 'payout_undelivered'];
    expect((await gateway.events(quoted.intent.id)).slice(2)).toEqual(expected);
    const events = await gateway.database.event.findMany({
      where: { resourceId: quoted.intent.id, type: 'payment_intent.payout_undelivered' },
      orderBy: { sequence: 'asc' },
    });
    expect(events.map(({ data }) => Object(data).payout)).toMatchObject([
      { role: 'MERCHANT', amount: '9900000', txHash: null, advice: expect.stringContaining('too few to pay fees') },
      { role: 'FEE_RECIPIENT', amount: '100000', txHash: null },
    ]);
    expect(await waiting()).toEqual([1]);
    await refill();
    gateway.passTime(60);
    await gateway.settleDown();
    expect((await gateway.events(quoted.intent.id)).slice(4).sort()).toEqual([
      'payout_delivered',
      'payout_delivered',
      'settled',
    ]);
    expect(await settlement(quoted)).toMatchObject({ status: 'CONFIRMED', error: null });
    expect(await waiting()).toEqual([]);
  });

  it('does not prevent a refund', async () => {
    const quoted = await captured();
    const before = await lamports(quoted.terms.payer);
    await drain();
    const given = (await lamports(quoted.terms.payer)) - before;
    gateway.passTime(101);
    await gateway.settleDown();
    expect(await settlement(quoted)).toMatchObject({ status: 'PENDING' });
    const refund = { scope: gateway.scope, id: quoted.intent.id, reason: 'Too slow' };
    expect(await refundPaymentIntent(gateway.world, refund)).toMatchObject({ amount: String(AMOUNT) });
    expect(await settlement(quoted)).toMatchObject({ status: 'FAILED', error: 'The payment is refunded.' });
    await refill();
    gateway.passTime(60);
    await gateway.settleDown();
    expect(await statusOf(quoted)).toBe('REFUNDED');
    expect((await lamports(quoted.terms.payer)) - before - given).toBe(AMOUNT - 1_000_000_000n);
  });
});

describe('a sender that is killed', () => {
  /** In strides, so that all of it takes seconds and still meets each kind of step. */
  const STRIDE = 19;

  it('at any of its steps keeps and delivers each share once', async () => {
    const { solana, world, database } = gateway;
    for (let crashesAt = 1; ; crashesAt += STRIDE) {
      fresh = Keypair.generate().publicKey.toBase58();
      await settled({ feeBps: 500 });
      const second = await captured({ feeBps: 500 });
      gateway.passTime(101);
      await gateway.runDueJobs();
      const { crashed } = await runUntilCrash(crashesAt, async (crash) => {
        const solanaNodes = {
          connection: (chainId: number) => world.solanaNodes.connection(chainId),
          asking: <Answer>(chainId: number, work: (connection: Connection) => Promise<Answer>) =>
            world.solanaNodes.asking(chainId, (connection) => work(crashing(connection, crash))),
        };
        const turns = gateway.turns({ database: crashing(database, crash), solanaNodes });
        for (const what of ['the settlement', 'the delivery']) {
          await gateway.runDueJobs();
          await turns.pump();
          solana.advance();
          await turns.observe();
          await turns.pump();
          if (what === 'the settlement') await turns.observe();
        }
      });
      await gateway.settleDown();
      gateway.passTime(7 * 3600);
      await gateway.settleDown();
      expect(await lamports(fresh), `killed at step ${crashesAt}`).toBe(1_000_000n);
      expect(await openPayouts()).toEqual([]);
      const events = (await gateway.events(second.intent.id)).slice(2);
      expect(events).toEqual(['settled', 'payout_undelivered', 'payout_delivered']);
      if (!crashed) return;
    }
  }, 400_000);
});
