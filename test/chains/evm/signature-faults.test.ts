/** A node that fails during the verification of a wallet's signature does not invalidate it. */
import { concat, encodeAbiParameters, type Hex, keccak256, toHex } from 'viem';
import { expect, it } from 'vitest';
import { openEvmNodes } from '../../../src/chains/evm/nodes.ts';
import { isSignedByAccount } from '../../../src/chains/evm/signature.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { openRpcGate } from '../../setup/chains/rpc-gate.ts';

const MAGIC = '0x6492649264926492649264926492649264926492649264926492649264926492';

/** A signature of an account that is not deployed, made by no key. */
function wrapped(factory: Hex): Hex {
  const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;
  return concat([encodeAbiParameters(types, [factory, '0x1234', `0x${'11'.repeat(65)}`]), MAGIC]);
}

it('reports a node failure as an unavailable chain, not as an invalid signature', async () => {
  const evm = await openEvm();
  const gate = await openRpcGate(evm.rpcUrl);
  const nodes = openEvmNodes({ registry: evm.registry, rpc: [{ ...evm.rpcSettings, urls: [gate.url] }] });
  const request = {
    signer: evm.payers[1].address,
    digest: keccak256(toHex('a digest')),
    signature: wrapped(evm.escrow),
  };
  const verify = () => nodes.asking(evm.chainId, (client) => isSignedByAccount({ client }, request));
  gate.failing = (method) => method === 'eth_call';
  await expect(verify()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  gate.failing = () => false;
  expect(await verify()).toBe(false);
});
