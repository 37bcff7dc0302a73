/** From a payment link to money at the merchant, through the API, a wallet's signature, the watcher and the payouts. */
import { randomUUID } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { solanaTermsFromJson, solanaTermsHash } from '../../src/escrow/solana/solana-terms.ts';
import { readSenders } from '../../src/operations/read-senders.ts';
import { verify } from '../../src/operations/verify.ts';
import { operatorAddress } from '../../src/operator/solana/operator-address.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { paySolanaUrl } from '../setup/chains/pay-solana-url.ts';
import { openSolanaTurns } from '../setup/chains/solana-turns.ts';
import { onTeardown } from '../setup/teardown.ts';
import { openSolanaGround, type SolanaGround, VAULT_SECRET } from './solana-ground.ts';

const AMOUNT = 10_000_000n;

let ground: SolanaGround;
let turns: ReturnType<typeof openSolanaTurns>;
beforeAll(async () => {
  ground = await openSolanaGround();
  const { api, solana } = ground;
  const locks = openAdvisoryLocks({ url: api.databaseUrl, log: api.world.log });
  onTeardown(() => locks.close());
  const { log } = api.world;
  const mailer = openMailer({ smtpUrl: undefined, from: 'Sluice <no-reply@localhost>', isProduction: false, log });
  const keys = { vaultSecret: VAULT_SECRET, operatorKey: solana.operator.secretKey };
  turns = openSolanaTurns({ world: { ...api.world, arbiter: null, mailer }, locks, keys, solana });
}, 60_000);

/** Chain and clock both move on. */
async function passTime(seconds: number): Promise<void> {
  ground.api.clock.advance(seconds);
  ground.solana.node.passTime(seconds);
  await turns.settleDown();
}

/** In base units, of the three who pay and are paid. */
async function balances() {
  const { solana } = ground;
  const read = ({ address }: { address: string }) => solana.tokenBalance(solana.usdc, address);
  const [payer, merchant, fee] = await Promise.all([solana.payers[0], solana.merchant, solana.feeRecipient].map(read));
  return { payer: payer ?? 0n, merchant: merchant ?? 0n, fee: fee ?? 0n };
}

/** Opens the link's checkout, and pays it as a shop's page and a wallet do. */
async function payByLink() {
  const { api, solana, prepare, signAndSend } = ground;
  const slug = `tea-${randomUUID().slice(0, 8)}`;
  const link = await api.rest('POST', '/payment-links', {
    key: api.merchantA.secretKey,
    body: { appId: api.merchantA.appId, name: 'Tea', slug, amount: '10.00' },
  });
  const opened = await api.rest('POST', `/payment-links/${slug}/checkout`, {});
  expect([link.status, opened.status], link.text + opened.text).toEqual([200, 200]);
  const session = opened.body.data;
  const prepared = await prepare(session, {}, { clientSecret: session.clientSecret });
  expect(prepared.status, prepared.text).toBe(200);
  const { quote, steps } = prepared.body.data;
  const signature = await signAndSend(solana.payers[0], steps[0]);
  const confirmed = await api.rest('POST', `/checkout-sessions/${session.id}/confirm`, {
    clientSecret: session.clientSecret,
    body: { quoteId: quote.id, txHash: signature },
  });
  expect([confirmed.status, confirmed.body.data.status]).toEqual([200, 'OPEN']);
  return { linkId: String(link.body.data.id), session, quote, signature, intentId: String(session.paymentIntentId) };
}

type Paid = Awaited<ReturnType<typeof payByLink>>;

const read = async (path: string) =>
  (await ground.api.rest('GET', path, { key: ground.api.merchantA.secretKey })).body.data;

async function eventsOf(resourceId: string): Promise<string[]> {
  const events = await ground.api.database.event.findMany({ where: { resourceId }, orderBy: { sequence: 'asc' } });
  return events.map((event) => event.type);
}

async function verified(what: string): Promise<{ code: number; lines: string }> {
  const lines: string[] = [];
  const code = await verify({ ...ground.api.world, print: (line) => lines.push(line) }, { args: [what] });
  return { code, lines: lines.join('\n') };
}

/** What the API wrote for a quote, as the watcher reads it. */
async function expectWatched({ quote, intentId }: Paid): Promise<{ vault: string }> {
  const { database } = ground.api;
  const row = await database.paymentTerms.findFirstOrThrow({ where: { quoteId: quote.id } });
  const terms = solanaTermsFromJson(row.terms);
  expect(solanaTermsHash({ chainId: 103, terms })).toBe(row.termsHash);
  const watch = await database.solanaWatch.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId: row.chainId, termsHash: row.termsHash } },
  });
  const { vault, vaultOwner, reference, payBy, stray } = terms;
  expect(watch).toMatchObject({ chainId: 103, paymentIntentId: intentId, vault, vaultOwner, reference });
  expect([watch.payBy, row.authorizeBy, stray]).toEqual([new Date(payBy * 1000), new Date(payBy * 1000), null]);
  return { vault };
}

describe('a payment link that is paid on Solana', () => {
  it('is paid by whoever scans its code, and is that wallet’s payment', async () => {
    const { api, solana, prepare } = ground;
    const session = await ground.openSession();
    const prepared = await prepare(session, { walletAddress: undefined });
    expect(prepared.status, prepared.text).toBe(200);
    const { steps, walletBalance } = prepared.body.data;
    expect(Object.keys(steps[0]).sort()).toEqual(['description', 'kind', 'paymentUrl']);
    expect(walletBalance).toBe('0');
    await paySolanaUrl(solana.rpcUrl, solana.payers[1], steps[0].paymentUrl);
    await turns.settleDown();
    const intent = await api.database.paymentIntent.findUniqueOrThrow({ where: { id: session.paymentIntentId } });
    expect(intent).toMatchObject({
      status: 'CAPTURED',
      authorizationWalletAddress: solana.payers[1].address,
    });
    await passTime(intent.timelockDuration + 1);
  });

  it('is settled less the fee, completes its session, is counted as a use, and matches the chain', async () => {
    const { solana } = ground;
    const before = await balances();
    const paid = await payByLink();
    await turns.observe();
    const { vault } = await expectWatched(paid);
    expect(await eventsOf(paid.intentId)).toEqual(['payment_intent.created', 'payment_intent.pending']);
    await turns.settleDown();
    expect(await read(`/payments/intents/${paid.intentId}`)).toMatchObject({ status: 'CAPTURED' });
    expect(await read(`/checkout-sessions/${paid.session.id}`)).toMatchObject({ status: 'COMPLETE' });
    expect(await read(`/payment-links/${paid.linkId}`)).toMatchObject({ usageCount: 1 });
    expect(await solana.tokenBalance(solana.usdc, await ownerOf(vault))).toBe(AMOUNT);
    const captured = await verified(paid.intentId);
    expect(captured.code, captured.lines).toBe(0);

    const { timelockDuration } = await ground.api.database.paymentIntent.findUniqueOrThrow({
      where: { id: paid.intentId },
    });
    await passTime(timelockDuration + 1);
    expect(await read(`/payments/intents/${paid.intentId}`)).toMatchObject({ status: 'SETTLED' });
    const after = await balances();
    expect(after.payer - before.payer).toBe(-AMOUNT);
    expect([after.merchant - before.merchant, after.fee - before.fee]).toEqual([9_900_000n, 100_000n]);
    expect(await solana.connection.getAccountInfo(new PublicKey(vault))).toBeNull();
    expect(await eventsOf(paid.intentId)).toEqual(
      ['created', 'pending', 'authorized', 'captured', 'settled'].map((type) => `payment_intent.${type}`),
    );
    expect(await eventsOf(paid.session.id)).toEqual(['checkout_session.completed']);
    for (const what of [paid.intentId, '--all']) {
      const { code, lines } = await verified(what);
      expect(code, lines).toBe(0);
      expect(lines).toContain(what === '--all' ? 'Chain 103' : 'MATCH');
    }
  });

  it('is refunded as a whole, and never settled after it', async () => {
    const { api } = ground;
    const before = await balances();
    const paid = await payByLink();
    await turns.settleDown();
    const refund = (body: object) =>
      api.rest('POST', `/payments/intents/${paid.intentId}/refund`, { key: api.merchantA.secretKey, body });
    expect((await refund({ reason: 'Cold', amount: '1' })).status).toBe(400);
    const asked = await refund({ reason: 'Cold' });
    expect(asked.status, asked.text).toBe(200);
    await turns.settleDown();
    expect(await read(`/payments/intents/${paid.intentId}`)).toMatchObject({
      status: 'REFUNDED',
      refundReason: 'Cold',
    });
    const { timelockDuration } = await api.database.paymentIntent.findUniqueOrThrow({ where: { id: paid.intentId } });
    await passTime(timelockDuration + 1);
    expect(await balances()).toEqual(before);
    expect((await eventsOf(paid.intentId)).slice(-2)).toEqual([
      'payment_intent.refund_pending',
      'payment_intent.refunded',
    ]);
    const { code, lines } = await verified(paid.intentId);
    expect(code, lines).toBe(0);
  });
});

it('reports the balance of the key that pays the fees on Solana, and when it is low', async () => {
  const { api, solana } = ground;
  const sender = operatorAddress(solana.operator.secretKey);
  expect(sender).toBe(solana.operator.address);
  const lamports = BigInt(await solana.connection.getBalance(new PublicKey(sender)));
  const of = async (lowBalanceWei?: bigint) => {
    const config = { rpc: [{ ...solana.rpcSettings, lowBalanceWei }] };
    const senders = await readSenders({ ...api.world, config }, { keys: [sender, api.world.operator.address] });
    return senders.filter((row) => row.chainId === 103);
  };
  expect(await of()).toEqual([{ chainId: 103, sender, left: lamports, decimals: 9, isLow: false }]);
  expect(await of(lamports + 1n)).toMatchObject([{ sender, isLow: true }]);
  // Two chains of the ground ask this node, three times each.
  solana.node.failNext({ status: 503 }, { method: 'getBalance', times: 6 });
  expect(await of()).toMatchObject([{ sender, left: null, isLow: false }]);
});

/** Of a token account. */
async function ownerOf(account: string): Promise<string> {
  const found = await ground.solana.connection.getParsedAccountInfo(new PublicKey(account));
  const data = found.value?.data;
  if (!data || !('parsed' in data)) throw new Error('There is no such token account.');
  return String(data.parsed.info.owner);
}
