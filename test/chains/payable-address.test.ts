/** Addresses that can be paid, and those from which the money could never be recovered. */
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it, test } from 'vitest';
import { findSink, readPayable } from '../../src/chains/payable-address.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import { deterministicDeployer } from '../../src/escrow/deterministic-deployer.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { firstEditionAddress } from '../../src/escrow/first-edition.ts';

const registry = loadRegistry({ rpc: [] });
const chains = registry.chains();
const read = (family: 'EVM' | 'SOLANA' | 'SUI', text: string) => readPayable(chains, { family, text });

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

describe('on EVM chains', () => {
  test.each([
    [wallet, wallet],
    [wallet.toLowerCase(), wallet],
    // The first address above the reserved ones, and the one after the predeploys.
    ['0x0000000000000000000000000000000000010000', '0x0000000000000000000000000000000000010000'],
    ['0x4200000000000000000000000000000000000800', '0x4200000000000000000000000000000000000800'],
  ])('%s can be paid', (text, address) => {
    expect(read('EVM', text)).toEqual({ address, fault: null });
  });

  test.each([
    ['0x7099', /^0x and 40 hex digits/],
    ['0x70997970c51812dc3a010c7d01b50e0d17dc79C8', /checksum/],
    ['0x0000000000000000000000000000000000000000', /^is the zero address/],
    ['0x0000000000000000000000000000000000000001', /^is reserved for precompiles/],
    ['0x0000000000000000000000000000000000000011', /^is reserved for precompiles/],
    // RIP-7212, ArbSys, a system contract of BNB Chain, the bootloader of zkSync, and a burn address.
    ['0x0000000000000000000000000000000000000100', /^is reserved for precompiles/],
    ['0x0000000000000000000000000000000000000064', /^is reserved for precompiles/],
    ['0x0000000000000000000000000000000000001000', /^is reserved for precompiles/],
    ['0x0000000000000000000000000000000000008001', /^is reserved for precompiles/],
    ['0x000000000000000000000000000000000000dEaD', /^is reserved for precompiles/],
    ['0x000000000000000000000000000000000000ffff', /^is reserved for precompiles/],
    // The cross-domain messenger of OP Stack chains, and the last predeploy.
    ['0x4200000000000000000000000000000000000007', /^is a predeployed contract/],
    ['0x42000000000000000000000000000000000007FF', /^is a predeployed contract/],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', /stands for the native coin/],
    [escrowAddress, /^is the escrow contract/],
    [escrowAddress.toLowerCase(), /^is the escrow contract/],
    [firstEditionAddress, /^is the escrow contract of the first edition/],
    [deterministicDeployer.address, /^is the deterministic deployer/],
    [batchAddress, /^is the batch contract/],
    [usdc, /^is the contract of USDC on Ethereum$/],
    [usdc.toLowerCase(), /^is the contract of USDC on Ethereum$/],
  ])('%s cannot be paid: %s', (text, fault) => {
    expect(read('EVM', text)).toEqual({ address: null, fault: expect.stringMatching(fault) });
  });

  it('rejects every escrow and every token of every chain', () => {
    for (const chain of chains.filter(({ family }) => family === 'EVM')) {
      const contracts = chain.tokens.map((token) => token.address).filter((address) => address !== 'native');
      for (const address of [...contracts, ...(chain.escrow ? [chain.escrow] : [])]) {
        expect([address, findSink([chain], { family: 'EVM', address }) !== null]).toEqual([address, true]);
      }
    }
  });

  it('rejects a token only on its own chain', () => {
    const [ethereum, base] = [registry.chain(1), registry.chain(8453)];
    if (!ethereum || !base) throw new Error('Two chains are built in.');
    expect(findSink([ethereum], { family: 'EVM', address: usdc })).toBe('is the contract of USDC on Ethereum');
    expect(findSink([base], { family: 'EVM', address: usdc })).toBe(null);
  });
});

describe('on Solana', () => {
  const key = Keypair.generate().publicKey;

  it('a wallet can be paid', () => {
    expect(read('SOLANA', key.toBase58())).toEqual({ address: key.toBase58(), fault: null });
  });

  test.each([
    ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', /^base58 of 32 bytes/],
    ['11111111111111111111111111111111', /^is a program/],
    ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', /^is a program/],
    ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', /^is a program/],
    ['Stake11111111111111111111111111111111111111', /^is a program/],
    ['Vote111111111111111111111111111111111111111', /^is a program/],
    ['BPFLoaderUpgradeab1e11111111111111111111111', /^is a program/],
    ['1nc1nerator11111111111111111111111111111111', /^is a program/],
    ['SysvarRent111111111111111111111111111111111', /^is a sysvar/],
    // USDC's mint is the public key of a pair: by its bytes it could be a wallet.
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v', /^is the mint of USDC on Solana$/],
    [getAssociatedTokenAddressSync(key, key).toBase58(), /^is no wallet/],
    [PublicKey.findProgramAddressSync([Buffer.from('vault')], key)[0].toBase58(), /^is no wallet/],
  ])('%s cannot be paid: %s', (text, fault) => {
    expect(read('SOLANA', text)).toEqual({ address: null, fault: expect.stringMatching(fault) });
  });
});

describe('on Sui', () => {
  const upper = `0x${'A'.repeat(64)}`;

  it('an address can be paid', () => {
    expect(read('SUI', upper)).toEqual({ address: upper.toLowerCase(), fault: null });
  });

  test.each([
    ['0x2', /^0x and 64 hex digits/],
    [`0x${'0'.repeat(64)}`, /^is the zero address/],
    [`0x${'6'.padStart(64, '0')}`, /^is reserved for packages and objects/],
    ['0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7', /^is the package of USDC on Sui$/],
  ])('%s cannot be paid: %s', (text, fault) => {
    expect(read('SUI', text)).toEqual({ address: null, fault: expect.stringMatching(fault) });
  });
});
