/** A signer elsewhere, over real HTTP: it signs terms and transactions as a key of our own does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, isHex, recoverTypedDataAddress, size } from 'viem';
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { openExternalSigner } from '../../src/operator/external-signer.ts';
import { onTeardown } from '../setup/teardown.ts';
import { openSender, openSendingGround, sink } from './sending-ground.ts';

const token = 'a token';
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Holds a key as a key service does: it answers r and the larger s, and no recovery bit. */
async function openKeyService(privateKey: Hex) {
  const state = { privateKey, answers: 200, asked: 0 };
  const { address } = privateKeyToAccount(privateKey);
  const signed = async (body: string): Promise<string> => {
    const digest: unknown = JSON.parse(body).digest;
    if (!isHex(digest) || size(digest) !== 32) return '{}';
    const { r, s } = await sign({ hash: digest, privateKey: state.privateKey });
    const larger = (curveOrder - BigInt(s)).toString(16).padStart(64, '0');
    return JSON.stringify({ signature: `${r}${larger}` });
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    state.asked += 1;
    const isAllowed = request.headers.authorization === `Bearer ${token}`;
    response.writeHead(isAllowed ? state.answers : 401, { 'content-type': 'application/json' });
    response.end(request.method === 'GET' ? JSON.stringify({ address: address.toLowerCase() }) : await signed(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { state, address, url: `http://127.0.0.1:${port}/keys/operator` };
}

const typed = {
  domain: { name: 'Sluice', version: '2', chainId: 31337 },
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  message: { text: 'signed elsewhere' },
} as const;

describe('an external signer', () => {
  it('signs typed data with the key whose address it reported', async () => {
    const service = await openKeyService(generatePrivateKey());
    const signer = await openExternalSigner({ url: service.url, token });
    expect(signer.address).toBe(service.address);
    const signature = await signer.signTypedData(typed);
    expect(size(signature)).toBe(65);
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(service.address);
  });

  it('sends transactions through the pump, which wait while it is unavailable', async () => {
    const ground = await openSendingGround();
    const sender = await openSender(ground);
    const service = await openKeyService(sender.privateKey);
    sender.world.signer = await openExternalSigner({ url: service.url, token });
    const before = await ground.client.getBalance({ address: sink });
    const id = await sender.enqueue({ purpose: 'signed elsewhere' });
    service.state.answers = 503;
    await expect(sender.turn()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await sender.row(id)).toMatchObject({ status: 'QUEUED', nonce: null, attempts: [] });
    service.state.answers = 200;
    await sender.turn();
    await sender.turn();
    expect(await ground.client.getBalance({ address: sink })).toBe(before + 1n);
    expect(await sender.row(id)).toMatchObject({ status: 'MINED', nonce: 0n });
  });

  it('is rejected when it signs with another key', async () => {
    const service = await openKeyService(generatePrivateKey());
    const signer = await openExternalSigner({ url: service.url, token });
    service.state.privateKey = generatePrivateKey();
    await expect(signer.signTypedData(typed)).rejects.toMatchObject({
      code: 'CHAIN_UNAVAILABLE',
      message: expect.stringContaining(service.address),
    });
  });

  it('must report its address before anything starts', async () => {
    const service = await openKeyService(generatePrivateKey());
    await expect(openExternalSigner({ url: service.url })).rejects.toThrow(/^OPERATOR_SIGNER_URL/);
    await expect(openExternalSigner({ url: 'http://127.0.0.1:9/' })).rejects.toThrow(/^OPERATOR_SIGNER_URL/);
  });
});
