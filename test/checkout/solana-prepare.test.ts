/** Options, prepare and confirm on Solana; what happens after the money arrives is the watcher's. */
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSettleable } from '../../src/checkout/solana/is-settleable.ts';
import { solanaTermsFromJson, solanaTermsHash } from '../../src/escrow/solana/solana-terms.ts';
import { vaultKeypair } from '../../src/escrow/solana/vault.ts';
import { openSolanaGround, type SolanaGround, VAULT_SECRET } from './solana-ground.ts';

let ground: SolanaGround;
beforeAll(async () => {
  ground = await openSolanaGround();
});

const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);

/** The parts of a Solana Pay URL, read as its specification says. */
function readPayUrl(url: string) {
  const { protocol, pathname, searchParams } = new URL(url);
  return { protocol, recipient: pathname, ...Object.fromEntries(searchParams) };
}

describe('GET …/options', () => {
  const tokensOf = async (input: object, key?: string): Promise<string[]> => {
    const session = await ground.openSession(input, key);
    const answer = await ground.api.rest('GET', `/checkout-sessions/${session.id}/options`, session);
    return answer.body.data.options.map(
      ({ tokenKey, methods }: { tokenKey: string; methods: string[] }) => `${tokenKey} ${methods}`,
    );
  };

  it('offers mints and SOL to be paid directly, where the payment is captured at once', async () => {
    expect(await tokensOf({})).toEqual(['USDC-103 DIRECT', 'PYUSD-103 DIRECT', 'SOL-103 DIRECT']);
    expect(await tokensOf({ captureMode: 'MANUAL' })).toEqual([]);
  });

  it('offers no SOL for less than an account can hold', async () => {
    const items = [{ name: 'A leaf of tea', amount: '0.10' }];
    expect(await tokensOf({ items })).toEqual(['USDC-103 DIRECT', 'PYUSD-103 DIRECT']);
    expect(await tokensOf({ items: [{ name: 'Tea', amount: '1.50' }] })).toContain('SOL-103 DIRECT');
  });

  it('counts SOL of which nobody could take a share as no way to pay', async () => {
    const { connection, merchant } = ground.solana;
    const least = BigInt(await connection.getMinimumBalanceForRentExemption(0));
    const [nobody, nothing] = [Keypair.generate(), Keypair.generate()].map(({ publicKey }) => publicKey.toBase58());
    const sol = { token: { address: 'native' }, feeBps: 100, merchant: nobody ?? '', feeRecipient: nothing ?? '' };
    expect(await isSettleable(connection, { ...sol, amount: least })).toBe(false);
    expect(await isSettleable(connection, { ...sol, amount: least, feeRecipient: null })).toBe(true);
    expect(await isSettleable(connection, { ...sol, amount: least, merchant: merchant.address })).toBe(true);
    expect(await isSettleable(connection, { ...sol, amount: least - 1n, merchant: merchant.address })).toBe(false);
    expect(await isSettleable(connection, { ...sol, amount: 2n * least })).toBe(true);
  });

  it('offers nothing for real money while the operator has not taken custody', async () => {
    expect(await tokensOf({}, ground.api.liveApp.secretKey)).toEqual([]);
  });
});

describe('POST …/prepare', () => {
  it.each(['usdc', 'pyusd'] as const)(
    'locks a price in %s, and its transaction pays the intent’s vault',
    async (name) => {
      const { solana, api } = ground;
      const token = solana[name];
      const session = await ground.openSession();
      const answer = await ground.prepare(session, { tokenKey: token.key });
      expect(answer.status).toBe(200);
      const { quote, steps, walletBalance, walletAllowance } = answer.body.data;
      expect(quote).toMatchObject({ chainId: 103, tokenKey: token.key, cryptoAmount: '10000000', exchangeRate: '1' });
      expect([BigInt(walletBalance) > 10_000_000n, walletAllowance]).toEqual([true, '0']);
      expect(steps).toHaveLength(1);
      const [step] = steps;
      expect(step.kind).toBe('solanaTransaction');
      expect(Object.keys(step).sort()).toEqual(['description', 'kind', 'paymentUrl', 'transaction']);
      expect(step.description).toMatch(/^Pay 10 \w+\. It is held by the payment gateway itself/);

      const row = await api.database.paymentTerms.findFirstOrThrow({ where: { quoteId: quote.id } });
      const terms = solanaTermsFromJson(row.terms);
      expect(solanaTermsHash({ chainId: 103, terms })).toBe(row.termsHash);
      expect(terms).toMatchObject({
        intentId: session.paymentIntentId,
        payer: solana.payers[0].address,
        merchant: solana.merchant.address,
        mint: token.mint.toBase58(),
        amount: 10_000_000n,
        feeBps: 100,
        feeRecipient: solana.feeRecipient.address,
        stray: null,
      });
      expect(row.authorizeBy.getTime()).toBe(terms.payBy * 1000);
      expect(terms.payBy * 1000).toBeGreaterThanOrEqual(Date.parse(quote.expiresAt) + 119_000);
      const owner = vaultKeypair(VAULT_SECRET, session.paymentIntentId).address;
      expect(readPayUrl(step.paymentUrl)).toMatchObject({
        protocol: 'solana:',
        recipient: owner,
        amount: '10',
        'spl-token': token.mint.toBase58(),
        reference: terms.reference,
        label: 'Alpha',
        memo: quote.id,
      });

      const signature = await ground.signAndSend(solana.payers[0], step);
      expect(await solana.tokenBalance(token, owner)).toBe(10_000_000n);
      const vault = getAssociatedTokenAddressSync(token.mint, new PublicKey(owner), true, token.program);
      expect(terms.vault).toBe(vault.toBase58());
      const [listed] = await solana.connection.getSignaturesForAddress(new PublicKey(terms.reference), {}, 'confirmed');
      expect(listed).toMatchObject({ signature, memo: `[36] ${quote.id}`, err: null });

      const confirmed = await api.rest('POST', `/checkout-sessions/${session.id}/confirm`, {
        ...session,
        body: { quoteId: quote.id, txHash: signature },
      });
      expect([confirmed.status, confirmed.body.data.status]).toEqual([200, 'OPEN']);
      const kept = await api.database.quote.findUniqueOrThrow({ where: { id: quote.id } });
      expect(kept).toMatchObject({ plan: { kind: 'direct' }, reportedTxHash: signature });
      expect(kept.confirmedAt).not.toBe(null);
    },
  );

  it('pays SOL into the vault’s own key, to the last lamport, and gives each quote a reference', async () => {
    const { solana } = ground;
    const session = await ground.openSession();
    const sol = { tokenKey: 'SOL-103' };
    const [one, other] = [await ground.prepare(session, sol), await ground.prepare(session, sol)];
    expect(one.body.data.quote.cryptoAmount).toBe('66666667');
    const urls = [one, other].map((answer) => readPayUrl(answer.body.data.steps[0].paymentUrl));
    expect(urls[0]).toMatchObject({ amount: '0.066666667', recipient: urls[1]?.recipient });
    expect(urls[0]).not.toHaveProperty('spl-token');
    expect(new Set(urls.map((url) => Reflect.get(url, 'reference'))).size).toBe(2);
    await ground.signAndSend(solana.payers[1], { ...other.body.data.steps[0] }).then(
      () => expect.unreachable('The transaction is the first payer’s.'),
      () => undefined,
    );
    await ground.signAndSend(solana.payers[0], one.body.data.steps[0]);
    expect(await solana.connection.getBalance(new PublicKey(urls[0]?.recipient ?? ''))).toBe(66_666_667);
  });

  it('shows the payment URL as a QR code to who asks by GraphQL', async () => {
    const session = await ground.openSession();
    const answer = await ground.api.graphql(
      `mutation ($id: ID!, $input: PrepareCheckoutInput!) {
        prepareCheckout(id: $id, input: $input) { steps { kind paymentUrl paymentQr } }
      }`,
      {
        id: session.id,
        input: {
          chainId: 103,
          tokenKey: 'USDC-103',
          walletAddress: ground.solana.payers[0].address,
          method: 'DIRECT',
        },
      },
      { headers: { 'x-client-secret': session.clientSecret } },
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data.prepareCheckout.steps[0].paymentQr).toMatch(/^<svg[\s\S]+<\/svg>$/);
  });

  it('refuses what Solana has not: another method, no wallet, manual capture, a token that a fresh account cannot hold', async () => {
    const session = await ground.openSession();
    const refused = async (input: object, of = session) => {
      const answer = await ground.prepare(of, input);
      return [answer.status, ...params(answer)];
    };
    expect(await refused({ method: 'PERMIT' })).toEqual([400, 'method']);
    expect(await refused({ method: 'APPROVAL' })).toEqual([400, 'method']);
    expect(await refused({ walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })).toEqual([
      400,
      'walletAddress',
    ]);
    expect(await refused({ walletAddress: '11111111111111111111111111111111' })).toEqual([400, 'walletAddress']);
    expect(await refused({ walletAddress: '' })).toEqual([400, 'walletAddress']);
    const manual = await ground.openSession({ captureMode: 'MANUAL' });
    expect(await refused({}, manual)).toEqual([400, 'chainId']);
    const cheap = await ground.openSession({ items: [{ name: 'Gum', amount: '0.10' }] });
    expect(await refused({ tokenKey: 'SOL-103' }, cheap)).toEqual([400, 'tokenKey']);
    expect((await ground.prepare(cheap, {})).status).toBe(200);
    const live = await ground.openSession({}, ground.api.liveApp.secretKey);
    expect(await refused({ chainId: 101, tokenKey: 'SOL-101' }, live)).toEqual([400, 'chainId']);
  });

  it('needs a payout address of the family, a chain that is not paused, and a node that answers', async () => {
    const unpaid = await ground.prepare(await ground.openSession({}, ground.api.merchantB.secretKey));
    expect([unpaid.status, unpaid.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(unpaid.body.error.message).toMatch(/no payout address for SOLANA/);
    const session = await ground.openSession();
    for (const method of ['getAccountInfo', 'getMultipleAccounts', 'getLatestBlockhash']) {
      // The only node of a chain is asked three times.
      ground.solana.node.failNext({ status: 503 }, { method, times: 3 });
      const down = await ground.prepare(session);
      expect([method, down.status, down.body.error.code]).toEqual([method, 502, 'CHAIN_UNAVAILABLE']);
    }
    const { database } = ground.api;
    await database.chainCursor.upsert({
      where: { chainId: 103 },
      create: { chainId: 103, pausedAt: new Date() },
      update: { pausedAt: new Date() },
    });
    const paused = await ground.prepare(session);
    await database.chainCursor.update({ where: { chainId: 103 }, data: { pausedAt: null } });
    expect([paused.status, paused.body.error.code]).toEqual([503, 'CHAIN_PAUSED']);
  });

  it('reports the session as missing to other callers, and returns the same quote for a repeated key', async () => {
    const session = await ground.openSession();
    const other = await ground.prepare(session, {}, { key: ground.api.merchantB.secretKey });
    expect([other.status, other.body.error.code]).toEqual([404, 'NOT_FOUND']);
    const headers = { 'idempotency-key': 'solana-1', 'x-client-secret': session.clientSecret };
    const [first, again] = [
      await ground.prepare(session, {}, { headers }),
      await ground.prepare(session, {}, { headers }),
    ];
    expect(again.body.data).toEqual(first.body.data);
  });
});

describe('POST …/confirm', () => {
  it('refuses a hint of another family, and takes the quote without one', async () => {
    const session = await ground.openSession();
    await ground.prepare(session);
    const path = `/checkout-sessions/${session.id}/confirm`;
    for (const txHash of [`0x${'ab'.repeat(32)}`, 'not a signature']) {
      const answer = await ground.api.rest('POST', path, { ...session, body: { txHash } });
      expect([answer.status, params(answer)]).toEqual([400, ['txHash']]);
    }
    const answer = await ground.api.rest('POST', path, { ...session, body: {} });
    expect([answer.status, answer.body.data.status]).toEqual([200, 'OPEN']);
  });
});

describe('the prepared transaction', () => {
  it('asks for the payer’s signature alone, and ends with memo and transfer', async () => {
    const session = await ground.openSession();
    const payer = Keypair.generate();
    const answer = await ground.prepare(session, { walletAddress: payer.publicKey.toBase58() });
    expect(answer.body.data.walletBalance).toBe('0');
    const transaction = Transaction.from(Buffer.from(answer.body.data.steps[0].transaction, 'base64'));
    expect(transaction.feePayer?.equals(payer.publicKey)).toBe(true);
    expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([payer.publicKey.toBase58()]);
    expect(transaction.instructions.map(({ programId }) => programId.toBase58().slice(0, 5))).toEqual([
      'AToke',
      'MemoS',
      'Token',
    ]);
  });
});
