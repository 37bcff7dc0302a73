/**
 * A whole gateway on a Solana of its own, without its HTTP server, moved by hand: the watcher, the pump of payouts, and
 * the queue's jobs. Nothing happens between the calls of a test.
 */
import { randomBytes } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import type { PaymentIntent } from '../../../prisma/client.ts';
import type { Scope } from '../../../src/auth/principal.ts';
import { openSecretKeys } from '../../../src/auth/tokens/secret-keys.ts';
import { openEvmNodes } from '../../../src/chains/evm/nodes.ts';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { readVaultBalances } from '../../../src/chains/solana/read-vault-balances.ts';
import { type SolanaTerms, solanaTermsHash, solanaTermsToJson } from '../../../src/escrow/solana/solana-terms.ts';
import { referenceOf, vaultAddress, vaultKeypair } from '../../../src/escrow/solana/vault.ts';
import { openOperatorSigner } from '../../../src/operator/operator-signer.ts';
import { heldInVaults } from '../../../src/payments/solana/held-in-vaults.ts';
import { openAdvisoryLocks } from '../../../src/platform/advisory-locks.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMailer } from '../../../src/platform/mail/mail.ts';
import { fixedPrices } from '../../../src/prices/sources/fixed-prices.ts';
import { openSolana, type TestMint } from '../chains/solana.ts';
import { openSolanaTurns } from '../chains/solana-turns.ts';
import { freshDatabase } from '../database/database.ts';
import { onTeardown } from '../teardown.ts';

export type SolanaGateway = Awaited<ReturnType<typeof openSolanaGateway>>;
export type Quoted = { intent: PaymentIntent; termsHash: string; terms: SolanaTerms; token: TestMint | null };

const OPERATOR_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export async function openSolanaGateway() {
  const [solana, { database, url }] = await Promise.all([openSolana(), freshDatabase()]);
  const { registry, chainId } = solana;
  let skewMs = 0;
  const clock = { now: () => new Date(Date.now() + skewMs) };
  const vaultSecret = randomBytes(32).toString('hex');
  const locks = openAdvisoryLocks({ url, log: silentLog });
  onTeardown(() => locks.close());
  const merchant = await database.merchant.create({ data: { id: newId(), name: 'Merchant' } });
  const app = await database.app.create({ data: { id: newId(), merchantId: merchant.id, name: 'App', mode: 'TEST' } });
  const scope: Scope = { merchantId: merchant.id, appId: app.id };
  const world = {
    secretKeys: openSecretKeys({}),
    database,
    clock,
    registry,
    nodes: openEvmNodes({ registry, rpc: [] }),
    solanaNodes: openSolanaNodes({ registry, rpc: [solana.rpcSettings] }),
    operator: openOperatorSigner({ privateKey: OPERATOR_KEY }),
    arbiter: null,
    config: { rpc: [solana.rpcSettings], publicUrl: 'http://localhost:4000', quoteSeconds: 600 },
    prices: fixedPrices({ clock }, ''),
    mailer: openMailer({
      smtpUrl: undefined,
      from: 'Sluice <no-reply@localhost>',
      isProduction: false,
      log: silentLog,
    }),
    log: silentLog,
  };
  const keys = { vaultSecret, operatorKey: solana.operator.secretKey };
  const { turns, ...own } = openSolanaTurns({ world, locks, keys, solana });

  const intent = (fields: Partial<PaymentIntent> = {}): Promise<PaymentIntent> =>
    database.paymentIntent.create({
      data: {
        id: newId(),
        appId: app.id,
        amount: '10.00',
        currency: 'USD',
        captureMode: 'AUTOMATIC',
        status: fields.status ?? 'CREATED',
        expiresAt: fields.expiresAt ?? null,
        timelockDuration: 100,
        disputeStartDuration: 0,
        platformFeeBps: 100,
      },
    });

  /** As checkout writes it; `token` null for SOL. */
  const quote = async (
    of: PaymentIntent | null = null,
    token: TestMint | null = solana.usdc,
    fields: Partial<SolanaTerms> = {},
  ): Promise<Quoted> => {
    const paid = of ?? (await intent());
    const owner = vaultKeypair(vaultSecret, paid.id).address;
    const mint = token && { address: token.mint.toBase58(), programId: token.program.toBase58() };
    const terms: SolanaTerms = {
      intentId: paid.id,
      payer: solana.payers[0].address,
      merchant: solana.merchant.address,
      mint: mint?.address ?? null,
      amount: 10_000_000n,
      vaultOwner: owner,
      vault: await vaultAddress(owner, mint),
      reference: referenceOf(newId()),
      payBy: Math.floor(clock.now().getTime() / 1000) + 600,
      timelock: 100,
      disputeWindow: 0,
      disputeTimeout: 86_400,
      timeoutPayerBps: 0,
      feeBps: 100,
      feeRecipient: solana.feeRecipient.address,
      quoteHash: `0x${'00'.repeat(32)}`,
      stray: null,
      ...fields,
    };
    const termsHash = solanaTermsHash({ chainId, terms });
    await database.paymentTerms.create({
      data: {
        termsHash,
        chainId,
        paymentIntentId: paid.id,
        tokenKey: token?.key ?? `SOL-${chainId}`,
        method: 'DIRECT',
        terms: solanaTermsToJson(terms),
        operatorSignature: '',
        exchangeRate: '1',
        authorizeBy: new Date(terms.payBy * 1000),
        createdAt: clock.now(),
      },
    });
    return { intent: paid, termsHash, terms, token };
  };

  /** What a wallet makes of the quote; `amount` and `token` may be other ones than it says. */
  const transfer = (
    { terms, token }: Quoted,
    change: { amount?: bigint; token?: TestMint | null; from?: string; named?: boolean } = {},
  ): TransactionInstruction[] => {
    const payer = new PublicKey(change.from ?? terms.payer);
    const owner = new PublicKey(terms.vaultOwner);
    const amount = change.amount ?? terms.amount;
    const sent = change.token === undefined ? token : change.token;
    const reference = { pubkey: new PublicKey(terms.reference), isSigner: false, isWritable: false };
    const name = (instruction: TransactionInstruction) => {
      if (change.named !== false) instruction.keys.push(reference);
      return instruction;
    };
    if (!sent) return [name(SystemProgram.transfer({ fromPubkey: payer, toPubkey: owner, lamports: amount }))];
    const { mint, program, decimals } = sent;
    const from = getAssociatedTokenAddressSync(mint, payer, false, program);
    const vault = getAssociatedTokenAddressSync(mint, owner, true, program);
    return [
      createAssociatedTokenAccountIdempotentInstruction(payer, vault, owner, mint, program),
      name(createTransferCheckedInstruction(from, mint, vault, payer, amount, decimals, [], program)),
    ];
  };
  const pay = (quoted: Quoted, change: Parameters<typeof transfer>[1] = {}): Promise<string> => {
    const account = solana.payers.find(({ address }) => address === (change.from ?? quoted.terms.payer));
    if (!account) throw new Error('No such payer.');
    return solana.send(new Transaction().add(...transfer(quoted, change)), [solana.keypairOf(account)]);
  };

  return {
    solana,
    database,
    url,
    world,
    locks,
    keys,
    app,
    scope,
    clock,
    intent,
    quote,
    transfer,
    pay,
    turns,
    ...own,
    /** Chain and clock both move on. */
    passTime(seconds: number) {
      skewMs += seconds * 1000;
      solana.node.passTime(seconds);
    },
    read: (id: string) => database.paymentIntent.findUniqueOrThrow({ where: { id } }),
    /** Types of the intent's events, oldest first, without `payment_intent.`. */
    async events(id: string): Promise<string[]> {
      const events = await database.event.findMany({ where: { resourceId: id }, orderBy: { sequence: 'asc' } });
      return events.map((event) => event.type.replace('payment_intent.', ''));
    },
    /** Transactions of a payment, as "TYPE STATUS", oldest first. */
    async steps(id: string): Promise<string[]> {
      const rows = await database.transaction.findMany({ where: { paymentIntentId: id }, orderBy: { id: 'asc' } });
      return rows.map((row) => `${row.type} ${row.status}`);
    },
    /** What vault and books hold, of every vault that was ever named: they must be the same. */
    async books(): Promise<{ chain: Record<string, string>; books: Record<string, string> }> {
      const rows = await database.paymentTerms.findMany({ where: { chainId } });
      const vaults = rows.map(({ terms }) => Object(terms)).map(({ vault, vaultOwner }) => ({ vault, vaultOwner }));
      const [onChain, booked] = await Promise.all([
        readVaultBalances(solana.connection, vaults),
        heldInVaults(database, { chainId, vaults }),
      ]);
      const print = (held: Map<string, bigint>) =>
        Object.fromEntries([...held].filter(([, units]) => units !== 0n).map(([vault, units]) => [vault, `${units}`]));
      return { chain: print(onChain), books: print(booked) };
    },
  };
}
