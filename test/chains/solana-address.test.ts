import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { parseSolanaAddress, solanaWalletFault } from '../../src/chains/solana/solana-address.ts';

describe('a Solana address', () => {
  it('is the base58 encoding of 32 bytes and case-sensitive', () => {
    const address = Keypair.generate().publicKey.toBase58();
    expect(parseSolanaAddress(address)).toBe(address);
    for (const wrong of ['', address.slice(4), `${address}11`, `0${address.slice(1)}`, ` ${address}`, '1'.repeat(44)]) {
      expect(parseSolanaAddress(wrong)).toBe(null);
    }
  });

  it('is a wallet exactly if the library finds it on the curve', () => {
    let onCurve = 0;
    for (let round = 0; round < 200; round += 1) {
      const key = new PublicKey(crypto.getRandomValues(new Uint8Array(32)));
      const isOnCurve = PublicKey.isOnCurve(key);
      onCurve += isOnCurve ? 1 : 0;
      expect([key.toBase58(), solanaWalletFault(key.toBase58()) === null]).toEqual([key.toBase58(), isOnCurve]);
    }
    expect(onCurve).toBeGreaterThan(50);
    expect(onCurve).toBeLessThan(150);
  });

  it('is not a wallet if it is a token account or a program, even if it is on the curve', () => {
    const mint = Keypair.generate().publicKey;
    const wallet = Keypair.generate().publicKey;
    expect(solanaWalletFault(wallet.toBase58())).toBe(null);
    expect(solanaWalletFault(getAssociatedTokenAddressSync(mint, wallet).toBase58())).toMatch(/^is no wallet/);
    expect(PublicKey.isOnCurve(PublicKey.default)).toBe(true);
    for (const program of [PublicKey.default.toBase58(), 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']) {
      expect(solanaWalletFault(program)).toMatch(/^is a program/);
    }
  });
});
