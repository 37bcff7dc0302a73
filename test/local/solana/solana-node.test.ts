/** The local Solana through the common client library, over HTTP and its websocket. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { closeWebsocket, openSolana, type TestMint, type TestSolana } from '../../setup/chains/solana.ts';
import { onTeardown } from '../../setup/teardown.ts';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

let solana: TestSolana;
let payer: Keypair;
beforeAll(async () => {
  solana = await openSolana();
  payer = solana.keypairOf(solana.payers[0]);
});

const transfer = (to: PublicKey, lamports: number) =>
  SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports });
const newKey = () => Keypair.generate().publicKey;

/** A token transfer to a new account of `owner`, with a reference and a memo. */
function tokenPayment(
  token: TestMint,
  owner: PublicKey,
  amount: bigint,
  reference: PublicKey,
): TransactionInstruction[] {
  const source = getAssociatedTokenAddressSync(token.mint, payer.publicKey, false, token.program);
  const target = getAssociatedTokenAddressSync(token.mint, owner, true, token.program);
  const create = createAssociatedTokenAccountIdempotentInstruction(
    payer.publicKey,
    target,
    owner,
    token.mint,
    token.program,
  );
  const pay = createTransferCheckedInstruction(
    source,
    token.mint,
    target,
    payer.publicKey,
    amount,
    token.decimals,
    [],
    token.program,
  );
  pay.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
  return [create, new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('order 42') }), pay];
}

describe('a landed transaction', () => {
  it.each(['usdc', 'pyusd'] as const)(
    'reports the amount of a payment in %s, and is found by its reference',
    async (name) => {
      const { connection } = solana;
      const token = solana[name];
      const owner = newKey();
      const reference = newKey();
      const message = new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
        instructions: tokenPayment(token, owner, 25_000_000n, reference),
      }).compileToV0Message();
      const transaction = new VersionedTransaction(message);
      transaction.sign([payer]);
      const signature = await connection.sendTransaction(transaction);

      const [listed] = await connection.getSignaturesForAddress(reference, {}, 'confirmed');
      expect(listed).toMatchObject({ signature, err: null, memo: '[8] order 42', confirmationStatus: 'confirmed' });
      expect(await connection.getSignaturesForAddress(reference, {}, 'finalized')).toEqual([]);
      expect(
        await connection.getTransaction(signature, { commitment: 'finalized', maxSupportedTransactionVersion: 0 }),
      ).toBe(null);
      solana.advance();
      const read = await connection.getParsedTransaction(signature, {
        commitment: 'finalized',
        maxSupportedTransactionVersion: 0,
      });
      const vault = getAssociatedTokenAddressSync(token.mint, owner, true, token.program).toBase58();
      const index = read?.transaction.message.accountKeys.findIndex((key) => key.pubkey.toBase58() === vault);
      expect(read?.meta?.preTokenBalances?.find((balance) => balance.accountIndex === index)).toBeUndefined();
      expect(read?.meta?.postTokenBalances?.find((balance) => balance.accountIndex === index)).toMatchObject({
        mint: token.mint.toBase58(),
        owner: owner.toBase58(),
        uiTokenAmount: { amount: '25000000', decimals: 6, uiAmountString: '25' },
      });
      expect(read?.transaction.message.instructions.at(-1)).toMatchObject({
        parsed: { type: 'transferChecked', info: { authority: payer.publicKey.toBase58(), destination: vault } },
      });
      const [status] = (await connection.getSignatureStatuses([signature])).value;
      expect(status).toMatchObject({
        slot: read?.slot,
        confirmations: null,
        confirmationStatus: 'finalized',
        err: null,
      });
      expect(await connection.getBlockTime(read?.slot ?? 0)).toBe(read?.blockTime);
      const block = await connection.getBlock(read?.slot ?? 0, {
        transactionDetails: 'none',
        rewards: false,
        commitment: 'finalized',
        maxSupportedTransactionVersion: 0,
      });
      expect(block).toMatchObject({ parentSlot: (read?.slot ?? 0) - 1, blockTime: read?.blockTime });
    },
  );

  it('has accounts that can be read at each commitment', async () => {
    const { connection } = solana;
    const to = newKey();
    await solana.send(new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer]);
    expect(await connection.getBalance(to, 'confirmed')).toBe(LAMPORTS_PER_SOL);
    expect(await connection.getBalance(to, 'finalized')).toBe(0);
    expect(await connection.getAccountInfo(to, 'finalized')).toBe(null);
    solana.advance();
    expect(await connection.getBalance(to, 'finalized')).toBe(LAMPORTS_PER_SOL);
    const [first, missing] = await connection.getMultipleAccountsInfo([to, newKey()]);
    expect([first?.lamports, missing]).toEqual([LAMPORTS_PER_SOL, null]);
  });

  it('returns the rent of a closed token account', async () => {
    const owner = Keypair.generate();
    await solana.send(new Transaction().add(...tokenPayment(solana.usdc, owner.publicKey, 5n, newKey())), [payer]);
    const account = getAssociatedTokenAddressSync(solana.usdc.mint, owner.publicKey);
    const byMint = await solana.connection.getParsedTokenAccountsByOwner(owner.publicKey, { mint: solana.usdc.mint });
    expect(byMint.value.map((one) => one.account.data.parsed.info.tokenAmount.amount)).toEqual(['5']);
    const back = getAssociatedTokenAddressSync(solana.usdc.mint, payer.publicKey);
    const give = createTransferCheckedInstruction(account, solana.usdc.mint, back, owner.publicKey, 5n, 6);
    const close = createCloseAccountInstruction(account, payer.publicKey, owner.publicKey);
    await solana.send(new Transaction({ feePayer: payer.publicKey }).add(give, close), [payer, owner]);
    expect(await solana.connection.getAccountInfo(account)).toBe(null);
    const remaining = await solana.connection.getTokenAccountsByOwner(owner.publicKey, { mint: solana.usdc.mint });
    expect(remaining.value).toEqual([]);
  });

  it('is listed once, in pages from the newest to the oldest', async () => {
    const reference = newKey();
    const sent: string[] = [];
    for (const amount of [1n, 2n, 3n]) {
      sent.unshift(
        await solana.send(new Transaction().add(...tokenPayment(solana.usdc, newKey(), amount, reference)), [payer]),
      );
    }
    const list = (options: object) =>
      solana.connection
        .getSignaturesForAddress(reference, options, 'confirmed')
        .then((found) => found.map(({ signature }) => signature));
    expect(await list({})).toEqual(sent);
    expect(await list({ limit: 2 })).toEqual(sent.slice(0, 2));
    expect(await list({ before: sent[1] })).toEqual(sent.slice(2));
    expect(await list({ until: sent[1] })).toEqual(sent.slice(0, 1));
  });
});

describe('a transaction that cannot land', () => {
  it('is rejected with the reason before it is sent', async () => {
    const tiny = solana.send(new Transaction().add(transfer(newKey(), 1_000)), [payer]);
    await expect(tiny).rejects.toThrow(/InsufficientFundsForRent/);
    const { blockhash } = await solana.connection.getLatestBlockhash();
    const poor = Keypair.generate();
    const unpaid = new Transaction({ feePayer: poor.publicKey, recentBlockhash: blockhash }).add(
      SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: newKey(), lamports: LAMPORTS_PER_SOL }),
    );
    unpaid.sign(poor);
    await expect(solana.connection.sendRawTransaction(unpaid.serialize())).rejects.toThrow(/AccountNotFound/);
    const forged = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(
      transfer(newKey(), 1e9),
    );
    forged.addSignature(payer.publicKey, Buffer.alloc(64, 7));
    const sent = solana.connection.sendRawTransaction(forged.serialize({ verifySignatures: false }));
    await expect(sent).rejects.toThrow(/signature verification failure/);
  });

  it('is rejected if sent twice or with an expired blockhash, and is dropped without preflight', async () => {
    const { connection } = solana;
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('processed');
    const [first, second] = [newKey(), newKey()].map((to) => {
      const transaction = new Transaction({ blockhash, lastValidBlockHeight, feePayer: payer.publicKey });
      transaction.add(transfer(to, LAMPORTS_PER_SOL)).sign(payer);
      return transaction;
    });
    if (!first || !second) throw new Error('Nothing to send.');
    const signature = await connection.sendRawTransaction(first.serialize());
    await expect(connection.sendRawTransaction(first.serialize())).rejects.toThrow(/already been processed/);
    expect(await connection.sendRawTransaction(first.serialize(), { skipPreflight: true })).toBe(signature);
    const height = await connection.getBlockHeight('processed');
    solana.advance(lastValidBlockHeight - height);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    solana.advance(1);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    await expect(connection.sendRawTransaction(second.serialize())).rejects.toThrow(/Blockhash not found/);
    const lost = await connection.sendRawTransaction(second.serialize(), { skipPreflight: true });
    expect((await connection.getSignatureStatuses([lost])).value).toEqual([null]);
  });

  it('lands as a failure and costs its fee without preflight', async () => {
    const source = getAssociatedTokenAddressSync(solana.usdc.mint, payer.publicKey);
    const target = getAssociatedTokenAddressSync(solana.usdc.mint, new PublicKey(solana.payers[1].address));
    const tooMuch = createTransferCheckedInstruction(source, solana.usdc.mint, target, payer.publicKey, 10n ** 15n, 6);
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      recentBlockhash: (await solana.connection.getLatestBlockhash()).blockhash,
    }).add(tooMuch);
    transaction.sign(payer);
    const simulated = await solana.connection.simulateTransaction(transaction);
    expect(simulated.value.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    const before = await solana.connection.getBalance(payer.publicKey);
    const signature = await solana.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    const read = await solana.connection.getTransaction(signature, { commitment: 'confirmed' });
    expect(read?.meta).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, fee: 5000 });
    expect(await solana.connection.getBalance(payer.publicKey)).toBe(before - 5000);
  });
});

describe('the websocket', () => {
  it('reports logs, accounts and signatures at the requested commitment', async () => {
    const to = newKey();
    const notifications: string[] = [];
    const logs = solana.connection.onLogs(to, () => notifications.push('logs'), 'confirmed');
    const account = solana.connection.onAccountChange(to, ({ lamports }) => notifications.push(`holds ${lamports}`), {
      commitment: 'finalized',
    });
    await until(() => solana.node.openSubscriptions() >= 2);
    const signature = await solana.send(new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer]);
    await until(() => notifications.length === 1);
    expect(notifications).toEqual(['logs']);
    solana.advance();
    await until(() => notifications.length === 2);
    expect(notifications[1]).toBe(`holds ${LAMPORTS_PER_SOL}`);
    const { blockhash, lastValidBlockHeight } = await solana.connection.getLatestBlockhash();
    const confirmed = await solana.connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
    expect(confirmed.value.err).toBe(null);
    await solana.connection.removeOnLogsListener(logs);
    await solana.connection.removeAccountChangeListener(account);
  });

  it('can be dropped, and the client reconnects and receives later notifications', async () => {
    const client = new Connection(solana.rpcUrl, 'confirmed');
    onTeardown(async () => closeWebsocket(client));
    const reference = newKey();
    const notifications: string[] = [];
    const id = client.onLogs(reference, ({ signature }) => notifications.push(signature), 'confirmed');
    await until(() => solana.node.openSubscriptions() === 1);
    solana.node.dropSockets();
    await until(() => solana.node.openSubscriptions() === 0);
    const missed = await solana.send(new Transaction().add(...tokenPayment(solana.usdc, newKey(), 1n, reference)), [
      payer,
    ]);
    await until(() => solana.node.openSubscriptions() === 1);
    const received = await solana.send(new Transaction().add(...tokenPayment(solana.usdc, newKey(), 2n, reference)), [
      payer,
    ]);
    await until(() => notifications.length > 0);
    expect(notifications).toEqual([received]);
    expect(notifications).not.toContain(missed);
    await client.removeOnLogsListener(id);
  });
});

describe('injected faults', () => {
  it('imitate a failing node for a number of calls, and hide a listed transaction', async () => {
    const { connection, node } = solana;
    const quiet = new Connection(solana.rpcUrl, { commitment: 'confirmed', disableRetryOnRateLimit: true });
    node.failNext({ status: 429 }, { method: 'getSlot' });
    await expect(quiet.getSlot()).rejects.toThrow(/429/);
    node.failNext({ code: -32005, message: 'Node is behind' }, { times: 2 });
    await expect(quiet.getSlot()).rejects.toThrow(/behind/);
    await expect(quiet.getBalance(payer.publicKey)).rejects.toThrow(/behind/);
    node.failNext('break');
    await expect(quiet.getSlot()).rejects.toThrow();
    expect(await quiet.getSlot()).toBeGreaterThan(0);
    const to = newKey();
    const signature = await solana.send(new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer]);
    node.hide(signature);
    expect(await connection.getTransaction(signature)).toBe(null);
    expect(await connection.getSignaturesForAddress(to)).toHaveLength(1);
    node.show(signature);
    expect((await connection.getTransaction(signature, { commitment: 'confirmed' }))?.slot).toBe(node.slot());
    await expect(connection.getProgramAccounts(MEMO)).rejects.toThrow(/Method not found/);
  });

  it('let several transactions share a slot and the clock advance', async () => {
    const { node } = solana;
    node.holdSlot(true);
    const slots = await Promise.all(
      [newKey(), newKey()].map(async (to) => {
        const signature = await solana.send(new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer]);
        return (await solana.connection.getSignatureStatuses([signature])).value[0]?.slot;
      }),
    );
    node.holdSlot(false);
    expect(slots[0]).toBe(slots[1]);
    const timeOf = async () => (await solana.connection.getBlockTime(node.slot())) ?? 0;
    const before = await timeOf();
    node.passTime(3600);
    expect(await timeOf()).toBeGreaterThanOrEqual(before + 3600);
  });
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('The condition was not met within 30 s.');
    await delay(10);
  }
}
