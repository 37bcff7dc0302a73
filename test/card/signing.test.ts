/** Every signing method with real wallets and a real chain: valid and invalid signatures. */

import { base58, base64 } from '@scure/base';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { concat, getCreate2Address, type Hex, keccak256, serializeErc6492Signature, toHex } from 'viem';
import { expect, test } from 'vitest';
import { followSse } from '../setup/api/live.ts';
import { openEvm } from '../setup/chains/evm.ts';
import { openCardGround, signInMessage } from './card-ground.ts';

const evm = await openEvm();
const ground = await openCardGround({ rpc: { 31337: evm.rpcUrl } });
const { card, clock } = ground;
const origin = 'https://shop.example';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const [payer, stranger] = evm.payers;
const { accessToken } = await ground.logIn('ada@example.com');
/** Returns ERC-1271's magic value for every call. */
const ACCEPTS_ALL: Hex = `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`;

const start = (body: object) =>
  card('POST', '/onetime-connect/start', { token: accessToken, body: { clientOrigin: origin, ...body } });
const started = async (body: object) => {
  const answer = await start(body);
  expect(answer.status, answer.text).toBe(202);
  return { id: String(answer.body.id), token: String(answer.body.onetimeToken), display: answer.body.display };
};
const approve = async (request: { id: string; token: string }, signature: string) => {
  const { status, body } = await card('POST', `/onetime-connect/${request.id}/confirm`, {
    token: request.token,
    body: { decision: 'APPROVE', signature },
  });
  return status === 200 ? body.status : [status, body.error.details?.[0]?.param, body.error.details?.[0]?.message];
};
const notGood = (words: RegExp) => [400, 'signature', expect.stringMatching(words)];
const sending = (transaction: object, account: string = payer.address) => ({
  chainId: 'eip155:31337',
  account,
  method: 'eth_sendTransaction',
  params: [{ from: account, ...transaction }],
});
const sign = (account: string, message = 'Hello') => ({
  chainId: 'eip155:31337',
  account,
  method: 'personal_sign',
  params: [message, account],
});

async function sent(from: typeof payer, transaction: { to: Hex; value: bigint; data?: Hex }): Promise<Hex> {
  const hash = await evm.walletFor(from.privateKey).sendTransaction(transaction);
  await evm.publicClient.waitForTransactionReceipt({ hash });
  return hash;
}

test('a transaction is accepted by its hash, once, and only as requested', async () => {
  const to = evm.merchant.address;
  const wanted = { to, value: 1000n, data: '0xabcd' as const };
  const asked = { to, value: toHex(wanted.value), data: wanted.data, gas: '0x10000', type: '0x2' };
  const request = await started(sending(asked));
  expect(await approve(request, `0x${'12'.repeat(32)}`)).toEqual(notGood(/knows no such transaction/));
  expect(await approve(request, '0x1234')).toEqual(notGood(/hash/));
  for (const [from, change, field] of [
    [stranger, {}, 'from'],
    [payer, { to: stranger.address }, 'to'],
    [payer, { value: 999n }, 'value'],
    [payer, { data: '0xabce' as const }, 'data'],
  ] as const) {
    expect(await approve(request, await sent(from, { ...wanted, ...change }))).toEqual(
      notGood(new RegExp(`in ${field}$`)),
    );
  }
  const hash = await sent(payer, wanted);
  expect(await approve(request, hash)).toBe('SIGNED');
  expect(await approve(request, hash)).toBe('SIGNED');
  const again = await started(sending(asked));
  expect(await approve(again, hash)).toEqual(notGood(/of another request/));
  expect(await approve(again, hash.toUpperCase().replace('0X', '0x'))).toEqual(notGood(/of another request/));
});

test('contracts sign by ERC-1271, or ERC-6492 before deployment, and malformed signatures are invalid', async () => {
  const contract = '0x00000000000000000000000000000000000acc01';
  await evm.testClient.setCode({ address: contract, bytecode: ACCEPTS_ALL });
  expect(await approve(await started(sign(contract)), '0x1234')).toBe('SIGNED');
  // A contract without ERC-1271, and a precompile of the chain.
  const unresponsive = '0x00000000000000000000000000000000000acc02';
  await evm.testClient.setCode({ address: unresponsive, bytecode: '0x00' });
  expect(await approve(await started(sign(unresponsive)), '0x1234')).toEqual(notGood(/account's/));

  const initCode = concat(['0x6029600c60003960296000f3', ACCEPTS_ALL]);
  const factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
  const salt = toHex(7, { size: 32 });
  const future = getCreate2Address({ from: factory, salt, bytecodeHash: keccak256(initCode) });
  const signature = serializeErc6492Signature({
    address: factory,
    data: concat([salt, initCode]),
    signature: '0x1234',
  });
  expect(await evm.publicClient.getCode({ address: future })).toBeUndefined();
  expect(await approve(await started(sign(future)), signature)).toBe('SIGNED');

  const message = signInMessage({ origin, address: future, reference: '31337', token: accessToken });
  const session = await card('POST', '/session-connect/session', {
    token: accessToken,
    body: { clientOrigin: origin, accounts: [{ account: `eip155:31337:${future}`, message, signature }] },
  });
  expect([session.status, session.body.accounts?.[0]?.address]).toEqual([200, future]);

  const request = await started(sign(payer.address));
  const magic = '6492'.repeat(16);
  for (const broken of [
    `0x${'00'.repeat(64)}`,
    `0x${'ff'.repeat(64)}`,
    `0x${'ff'.repeat(65)}`,
    `0x1234${magic}`,
    `0x${magic}`,
    signature,
    '0x',
    'not hex',
  ]) {
    expect
      .soft([broken.slice(0, 20), await approve(request, broken)])
      .toEqual([broken.slice(0, 20), [400, 'signature', expect.any(String)]]);
  }
  const { privateKeyToAccount } = await import('viem/accounts');
  const own = await privateKeyToAccount(payer.privateKey).signMessage({ message: 'Hello' });
  expect(await approve(request, own)).toBe('SIGNED');
});

test('a Solana transaction is returned unchanged with the signature of its account', async () => {
  const [from, other] = [Keypair.generate(), Keypair.generate()];
  const transfer = (lamports: number, signer = from) => {
    const transaction = new Transaction({ feePayer: signer.publicKey, recentBlockhash: PublicKey.default.toBase58() });
    const toPubkey = other.publicKey;
    return transaction.add(SystemProgram.transfer({ fromPubkey: signer.publicKey, toPubkey, lamports }));
  };
  const wire = (transaction: Transaction) => base64.encode(transaction.serialize({ requireAllSignatures: false }));
  const signed = (transaction: Transaction, signer = from) => {
    transaction.sign(signer);
    return wire(transaction);
  };
  const account = from.publicKey.toBase58();
  const ofSolana = (method: string, params: object) => ({ chainId: `solana:${DEVNET}`, account, method, params });
  const request = await started(ofSolana('solana_signTransaction', { transaction: wire(transfer(1_500_000_000)) }));
  expect(request.display.summary).toBe(`Send 1.5 SOL to ${other.publicKey.toBase58()}.`);
  const fault = notGood(/is not this transaction/);
  expect(await approve(request, signed(transfer(1_500_000_001)))).toEqual(fault);
  expect(await approve(request, signed(transfer(1_500_000_000, other), other))).toEqual(fault);
  expect(await approve(request, wire(transfer(1_500_000_000)))).toEqual(fault);
  expect(await approve(request, 'AAAA')).toEqual(fault);
  expect(await approve(request, signed(transfer(1_500_000_000)))).toBe('SIGNED');

  const paramOf = async (method: string, params: object) => (await start(ofSolana(method, params))).body.error?.param;
  expect(await paramOf('solana_signTransaction', { transaction: wire(transfer(1, other)) })).toBe('params.transaction');
  expect(await paramOf('solana_signTransaction', { transaction: 'AAAA' })).toBe('params.transaction');
  // A message that is a transaction, which its signature would authorize.
  const disguised = base58.encode(new Uint8Array(transfer(1).serializeMessage()));
  expect(await paramOf('solana_signMessage', { message: disguised })).toBe('params.message');
});

test('data that would be signed without being displayed is rejected first', async () => {
  const { address } = payer;
  const types = { Mail: [{ name: 'text', type: 'string' }] };
  const mail = { domain: { name: 'Mail', chainId: 31337 }, types, primaryType: 'Mail', message: { text: 'Hi' } };
  const typed = (data: object | string) => ({
    ...sign(address),
    method: 'eth_signTypedData_v4',
    params: [address, data],
  });
  const withDomain = (...names: string[]) => ({
    ...mail,
    types: { ...types, EIP712Domain: names.map((name) => ({ name, type: name === 'chainId' ? 'uint256' : 'string' })) },
  });
  /** Text with so many levels that a recursive parser would exhaust its stack. */
  const deep = JSON.stringify({ ...mail, message: { text: 'DEEP' } }).replace(
    '"DEEP"',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  );
  const paramOf = async (body: object) => (await start(body)).body.error?.param ?? 'taken';
  expect(await paramOf(typed(withDomain('name', 'chainId')))).toBe('taken');
  expect(await paramOf(typed(withDomain('name')))).toBe('params[1].types.EIP712Domain');
  expect(await paramOf(typed({ ...mail, domain: { name: 'Mail', chainId: '1' } }))).toBe('params[1].domain.chainId');
  expect(await paramOf(typed({ ...mail, message: {} }))).toBe('params[1]');
  expect(await paramOf(typed({ ...mail, message: { text: { toString: 1 } } }))).toBe('params[1]');
  expect(await paramOf(typed(deep))).toBe('params[1]');
  const delegation = { authorizationList: [{ address: stranger.address, chainId: '0x7a69', nonce: '0x0' }] };
  expect(await paramOf(sending({ to: address, value: '0x1', ...delegation }))).toBe('params');
  expect(await paramOf(sending({ to: address, data: '0x', input: '0xabcd' }))).toBe('params[0].input');
});

test('a follower of a request receives its signature', async () => {
  const { privateKeyToAccount } = await import('viem/accounts');
  const request = await started(sign(payer.address, 'Live'));
  const document = 'subscription ($id: ID!) { onetimeRequestUpdated(id: $id) { status result { encoding } } }';
  const headers = { authorization: `Bearer ${request.token}` };
  const live = await followSse(ground.url, document, { id: request.id }, headers);
  expect(await live.next()).toEqual({ data: { onetimeRequestUpdated: { status: 'PENDING', result: null } } });
  await approve(request, await privateKeyToAccount(payer.privateKey).signMessage({ message: 'Live' }));
  const done = { status: 'SIGNED', result: { encoding: 'hex' } };
  expect(await live.next()).toEqual({ data: { onetimeRequestUpdated: done } });
  await live.stop();
  const foreign = await started(sign(payer.address, 'Another'));
  const refused = await followSse(ground.url, document, { id: foreign.id }, headers);
  expect(await refused.next()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  await refused.stop();
});

// This test is the last one, because it moves the service's clock away from the chain's.
test('an identical earlier transaction does not satisfy a request', async () => {
  const transaction = { to: evm.merchant.address, value: 77n };
  const hash = await sent(payer, transaction);
  clock.advance(120);
  const request = await started(sending({ to: transaction.to, value: toHex(transaction.value) }));
  expect(await approve(request, hash)).toEqual(notGood(/before it was asked for/));
});
