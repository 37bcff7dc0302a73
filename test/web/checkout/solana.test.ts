/** Solana at the hosted page without a browser: transactions that a wallet may sign, and errors. */
import { Keypair, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { paymentTransaction } from '../../../src/checkout/solana/payment-transaction.ts';
import { solanaPayUrl } from '../../../src/checkout/solana/solana-pay-url.ts';
import { localMints } from '../../../src/local/solana/local-solana-chain.ts';
import { printUnits } from '../../../src/prices/quote.ts';
import { isShownTransfer, type ShownTransfer } from '../../../web/src/checkout/solana/check-transaction.ts';
import { OtherPayment, readPaymentUrl } from '../../../web/src/checkout/solana/payment-url.ts';
import { solanaChainName } from '../../../web/src/wallet/solana/chain-name.ts';
import { solanaFault } from '../../../web/src/wallet/solana/solana-fault.ts';
import { Unsure } from '../../../web/src/wallet/unsure.ts';

const key = () => Keypair.generate().publicKey.toBase58();
const [payer, recipient, reference] = [key(), key(), key()];
const base = { payer, owner: recipient, amount: 12_500_000n, reference, memo: 'a quote', blockhash: key() };
const mints = localMints.map(({ symbol, decimals, keypair, program }) => ({
  symbol,
  mint: {
    address: keypair.publicKey.toBase58(),
    programId: program.toBase58(),
    decimals,
    hasPlainTransfers: true,
  },
}));

function asked(mint: (typeof mints)[number]['mint'] | null): { base64: string; shown: ShownTransfer } {
  return {
    base64: paymentTransaction({ ...base, mint, lastValidBlockHeight: 1 }),
    shown: {
      payer,
      recipient,
      token: mint?.address ?? 'native',
      amount: base.amount,
      decimals: mint?.decimals ?? 9,
    },
  };
}

function changed(base64: string, change: (transaction: Transaction) => void): string {
  const transaction = Transaction.from(Buffer.from(base64, 'base64'));
  change(transaction);
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64');
}

const ways = [...mints, { symbol: 'SOL', mint: null }];

describe.each(ways)('the transaction to sign for $symbol', ({ mint }) => {
  const { base64, shown } = asked(mint);

  it('is accepted if it matches the displayed payment', () => {
    expect(isShownTransfer(base64, shown)).toBe(true);
  });

  it.each([
    ['another amount', { amount: base.amount + 1n }],
    ['another receiver', { recipient: key() }],
    ['another payer', { payer: key() }],
    ['another token', { token: mint ? 'native' : (mints[0]?.mint.address ?? '') }],
  ])('is rejected for %s', (_name, other) => {
    expect(isShownTransfer(base64, { ...shown, ...other })).toBe(false);
  });

  it('is rejected with an extra or repeated instruction, with two signers, or if truncated', () => {
    const from = Keypair.generate().publicKey;
    const more = SystemProgram.transfer({ fromPubkey: from, toPubkey: from, lamports: 1 });
    expect(
      isShownTransfer(
        changed(base64, (transaction) => transaction.add(more)),
        shown,
      ),
    ).toBe(false);
    const again = changed(base64, (transaction) => {
      const last = transaction.instructions.at(-1);
      if (last) transaction.add(last);
    });
    expect(isShownTransfer(again, shown)).toBe(false);
    const stranger = changed(base64, (transaction) =>
      transaction.add(
        new TransactionInstruction({ programId: from, keys: [{ pubkey: from, isSigner: true, isWritable: true }] }),
      ),
    );
    expect(isShownTransfer(stranger, shown)).toBe(false);
    const bytes = Buffer.from(base64, 'base64');
    expect(isShownTransfer(bytes.subarray(0, -3).toString('base64'), shown)).toBe(false);
    expect(isShownTransfer(Buffer.concat([bytes, Buffer.of(0)]).toString('base64'), shown)).toBe(false);
    expect(isShownTransfer('', shown)).toBe(false);
  });
});

describe('Solana data of other parties', () => {
  const words = { label: 'Tea & more', message: 'Thank you', memo: 'a quote' };

  it.each(ways)('includes a payment URL in $symbol, which must match the displayed payment', ({ mint }) => {
    const decimals = mint?.decimals ?? 9;
    const shown = { token: mint?.address ?? 'native', amount: base.amount, decimals };
    const given = { recipient, amount: base.amount, decimals, mint: mint?.address ?? null, reference, ...words };
    const url = solanaPayUrl(given);
    expect(readPaymentUrl(url, shown)).toEqual({ recipient, amount: printUnits(base.amount, decimals) });
    const others = [
      solanaPayUrl({ ...given, amount: base.amount + 1n }),
      solanaPayUrl({ ...given, mint: mint ? null : key() }),
      solanaPayUrl({ ...given, mint: key() }),
      `${url}&amount=1`,
      `${url}&spl-token=${key()}`,
      url.replace('solana:', 'https://example.com/'),
      'no URL',
    ];
    for (const other of others) expect(() => readPaymentUrl(other, shown), other).toThrow(OtherPayment);
  });

  it('includes the chain names of wallets', () => {
    expect(solanaChainName({ chainId: 101, local: false })).toBe('solana:mainnet');
    expect(solanaChainName({ chainId: 103, local: false })).toBe('solana:devnet');
    expect(solanaChainName({ chainId: 103, local: true })).toBe('solana:localnet');
    expect(solanaChainName({ chainId: 1, local: false })).toBe(undefined);
  });

  it.each([
    [new Error('User rejected the request.'), 'REJECTED'],
    [Object.assign(new Error('no'), { code: 4001 }), 'REJECTED'],
    [new Error('Plugin Closed'), 'REJECTED'],
    [new Unsure('No answer.'), 'UNSURE'],
    [new Error('Attempt to debit an account but found no record of a prior credit.'), 'NO_GAS'],
    [new Error('Blockhash not found'), 'FAILED'],
    [undefined, 'FAILED'],
  ])('includes errors, and %s is shown as %s', (error, fault) => {
    expect(solanaFault(error)).toBe(fault);
  });
});
