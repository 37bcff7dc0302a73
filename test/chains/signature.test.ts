import {
  type Hex,
  keccak256,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { parseEvmAddress } from '../../src/chains/evm/evm-address.ts';
import { canonicalSignature, isSignedByKey } from '../../src/chains/evm/signature.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

async function signed() {
  const account = privateKeyToAccount(generatePrivateKey());
  const digest = keccak256(toHex('a digest'));
  return { signer: account.address, digest, signature: await account.sign({ hash: digest }) };
}

describe('a signature', () => {
  it('is made by the key’s owner', async () => {
    const request = await signed();
    expect(await isSignedByKey(request)).toBe(true);
    const other = await signed();
    expect(await isSignedByKey({ ...request, signer: other.signer })).toBe(false);
    expect(await isSignedByKey({ ...request, digest: keccak256('0x01') })).toBe(false);
    expect(await isSignedByKey({ ...request, signature: '0x1234' })).toBe(false);
  });

  it('is converted to the form that contracts accept', async () => {
    const { signature } = await signed();
    const { yParity } = parseSignature(signature);
    const bare: Hex = `${signature.slice(0, 130) as '0x'}${yParity === 0 ? '00' : '01'}`;
    expect(canonicalSignature(bare)).toBe(signature);
    const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
    expect(canonicalSignature(compact)).toBe(signature);
    expect(canonicalSignature(signature)).toBe(signature);
    expect(canonicalSignature('0x1234')).toBe('0x1234');
  });

  it('with an s in the upper half is rejected, as in contracts', async () => {
    const request = await signed();
    const { r, s, yParity } = parseSignature(request.signature);
    const flipped = toHex(ORDER - BigInt(s), { size: 32 });
    const signature: Hex = `0x${r.slice(2)}${flipped.slice(2)}${yParity === 0 ? '1c' : '1b'}`;
    expect(await isSignedByKey({ ...request, signature })).toBe(false);
  });
});

describe('an EVM address', () => {
  it('is accepted in one case or with its valid checksum, and returned with the checksum', () => {
    const address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
    expect(parseEvmAddress(address)).toBe(address);
    expect(parseEvmAddress(address.toLowerCase())).toBe(address);
    expect(parseEvmAddress('0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')).toBeNull();
    expect(parseEvmAddress(address.slice(0, -1))).toBeNull();
    expect(parseEvmAddress('vitalik.eth')).toBeNull();
  });
});
