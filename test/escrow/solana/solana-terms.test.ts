import { getAssociatedTokenAddressSync, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type SolanaTerms,
  solanaTermsFromJson,
  solanaTermsHash,
  solanaTermsToJson,
  strayOf,
  strayReasons,
} from '../../../src/escrow/solana/solana-terms.ts';
import { referenceOf, vaultAddress, vaultKeypair } from '../../../src/escrow/solana/vault.ts';

const secret = 'ab'.repeat(32);
const intentId = '01890a5d-ac96-774b-bcce-b302099a8057';
const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes).toBase58());
const seconds = fc.integer({ min: 0, max: 2 ** 40 });

const terms: fc.Arbitrary<SolanaTerms> = fc.record({
  intentId: fc.uuid(),
  payer: address,
  merchant: address,
  mint: fc.option(address),
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  vaultOwner: address,
  vault: address,
  reference: address,
  payBy: seconds,
  timelock: seconds,
  disputeWindow: seconds,
  disputeTimeout: seconds,
  timeoutPayerBps: fc.integer({ min: 0, max: 10_000 }),
  feeBps: fc.integer({ min: 0, max: 1000 }),
  feeRecipient: fc.option(address),
  quoteHash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  stray: fc.option(
    fc.record({
      signature: fc.constant(
        '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
      ),
      reason: fc.constantFrom(...strayReasons),
    }),
  ),
});

describe('terms on Solana', () => {
  it('survive being stored as JSON, with their hash', () => {
    fc.assert(
      fc.property(terms, (value) => {
        const read = solanaTermsFromJson(JSON.parse(JSON.stringify(solanaTermsToJson(value))));
        expect(read).toEqual(value);
        expect(solanaTermsHash({ chainId: 103, terms: read })).toBe(solanaTermsHash({ chainId: 103, terms: value }));
        expect(strayOf(solanaTermsToJson(value))).toEqual(value.stray);
      }),
    );
  });

  it('hash to something else when chain, amount, mint or deposit differ', () => {
    fc.assert(
      fc.property(terms, (value) => {
        const others = [
          { chainId: 101, terms: value },
          { chainId: 103, terms: { ...value, amount: value.amount + 1n } },
          { chainId: 103, terms: { ...value, mint: value.mint === null ? value.vault : null } },
          {
            chainId: 103,
            terms: { ...value, stray: value.stray ? null : { signature: 'x', reason: 'LATE' as const } },
          },
        ];
        const hashes = [{ chainId: 103, terms: value }, ...others].map(solanaTermsHash);
        expect(new Set(hashes).size).toBe(hashes.length);
      }),
    );
  });

  it('are refused when a field is not what it should be', () => {
    const [value] = fc.sample(terms, 1);
    if (!value) throw new Error('No sample.');
    const json = solanaTermsToJson(value);
    for (const broken of [{ vault: '0x12' }, { amount: '-1' }, { amount: '1.5' }, { intentId: 'x' }]) {
      expect(() => solanaTermsFromJson({ ...json, ...broken })).toThrow();
    }
  });
});

describe('a vault', () => {
  it('has a key that the library takes, the same for ever, and another for another intent or secret', () => {
    const vault = vaultKeypair(secret, intentId);
    expect(Keypair.fromSecretKey(vault.secretKey).publicKey.toBase58()).toBe(vault.address);
    expect(vault.address).toBe('EXiZuvdhr13AdMh5YkV2nykWoxNGWY6DgKNKQSurS3hr');
    expect(vaultKeypair(secret, '01890a5d-ac96-774b-bcce-b302099a8058').address).not.toBe(vault.address);
    expect(vaultKeypair('ac'.repeat(32), intentId).address).not.toBe(vault.address);
  });

  it('is the associated token account of either token program, and the owner itself for SOL', async () => {
    const owner = vaultKeypair(secret, intentId).address;
    const mint = Keypair.generate().publicKey;
    for (const program of [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID]) {
      const expected = getAssociatedTokenAddressSync(mint, new PublicKey(owner), false, program).toBase58();
      expect(await vaultAddress(owner, { address: mint.toBase58(), programId: program.toBase58() })).toBe(expected);
    }
    expect(await vaultAddress(owner, null)).toBe(owner);
  });

  it('is found by a reference of the quote', () => {
    expect(referenceOf(intentId)).toBe(referenceOf(intentId));
    expect(new PublicKey(referenceOf(intentId)).toBytes()).toHaveLength(32);
  });
});
