/** A signed Solana transaction may have been sent even if the response is lost. Only a rejection proves that it was not. */
import { createServer } from 'node:http';
import { base58 } from '@scure/base';
import { Keypair, Transaction } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { paymentTransaction } from '../../src/checkout/solana/payment-transaction.ts';
import { findSignature } from '../../web/src/wallet/solana/find-signature.ts';
import type { ConnectedSolanaWallet, SolanaWallet } from '../../web/src/wallet/solana/found-wallets.ts';
import { sendSolanaTransaction } from '../../web/src/wallet/solana/send-transaction.ts';
import { solanaFault } from '../../web/src/wallet/solana/solana-fault.ts';
import { Unsure } from '../../web/src/wallet/unsure.ts';

type Answer = 'hang up' | { status?: number; body: string };

/** A node with the responses of the test, in turn. The last one is repeated. */
let answers: Answer[] = [];
let taken: string[] = [];
let searched: unknown;
let nodeUrl = '';
const node = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const { method, params } = JSON.parse(text);
    taken.push(`${method} ${params[0]}`);
    searched = params[1]?.searchTransactionHistory;
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'hang up';
    if (answer === 'hang up') response.destroy();
    else response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.body);
  });
});
beforeAll(async () => {
  await new Promise<void>((done) => node.listen(0, '127.0.0.1', done));
  const address = node.address();
  if (typeof address === 'object') nodeUrl = `http://127.0.0.1:${address?.port}`;
});
afterAll(() => node.close());
beforeEach(() => {
  taken = [];
});

const payer = Keypair.generate();
const key = () => Keypair.generate().publicKey.toBase58();
const transaction = paymentTransaction({
  payer: payer.publicKey.toBase58(),
  owner: key(),
  amount: 5n,
  reference: key(),
  memo: 'a quote',
  blockhash: key(),
  mint: null,
  lastValidBlockHeight: 1,
});
const signed = Transaction.from(Buffer.from(transaction, 'base64'));
signed.sign(payer);
const signature = base58.encode(signed.signature ?? new Uint8Array());

const versions = { version: '1.0.0', supportedTransactionVersions: ['legacy'] } as const;

function walletWith(features: Partial<SolanaWallet['features']>): ConnectedSolanaWallet {
  const account = {
    address: payer.publicKey.toBase58(),
    publicKey: payer.publicKey.toBytes(),
    chains: [],
    features: [],
  };
  const connecting = { version: '1.0.0', connect: async () => ({ accounts: [account] }) } as const;
  const accounts = [account];
  const icon = 'data:image/svg+xml;base64,';
  const all = { 'standard:connect': connecting, ...features };
  return { account, wallet: { version: '1.0.0', name: 'A wallet', icon, chains: [], accounts, features: all } };
}
const signer = walletWith({
  'solana:signTransaction': {
    ...versions,
    signTransaction: async () => [{ signedTransaction: new Uint8Array(signed.serialize()) }],
  },
});
const send = (wallet: ConnectedSolanaWallet) =>
  sendSolanaTransaction(wallet, { chain: 'solana:localnet', nodeUrl, transaction });
const rpc = (answer: object): Answer => ({ body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }) });
const refused = rpc({ error: { code: -32002, message: 'Blockhash not found' } });

describe('a wallet that only signs', () => {
  it.each<[string, Answer[], number]>([
    ['a node that takes it', [rpc({ result: signature })], 1],
    ['a node that hangs up', ['hang up'], 3],
    ['a node whose door answers in its own words', [{ status: 502, body: '<html>Bad gateway</html>' }], 3],
    ['a node that answers nothing', [rpc({})], 3],
    ['a node that hung up once and then refuses the second', ['hang up', refused], 2],
    [
      'a node that has it already',
      [rpc({ error: { code: -32002, message: 'This transaction has already been processed' } })],
      1,
    ],
  ])('has sent by its own signature, with %s', async (_about, responses, attempts) => {
    answers = [...responses];
    expect(await send(signer)).toBe(signature);
    expect(taken).toEqual(Array(attempts).fill(`sendTransaction ${signed.serialize().toString('base64')}`));
  });

  it('has not sent what the node rejects at once', async () => {
    answers = [refused];
    await expect(send(signer)).rejects.toThrow('Blockhash not found');
    expect(taken).toHaveLength(1);
  });
});

describe('a wallet that sends', () => {
  const sender = (signAndSendTransaction: () => Promise<{ signature: Uint8Array }[]>) =>
    walletWith({ 'solana:signAndSendTransaction': { ...versions, signAndSendTransaction } });
  const throwing = (error: Error) => sender(() => Promise.reject(error));

  it('returns the signature', async () => {
    expect(await send(sender(async () => [{ signature: new Uint8Array(signed.signature ?? []) }]))).toBe(signature);
  });

  it.each([
    'Timed out',
    'Connection closed',
    'Popup closed',
    'Request cancelled: timeout',
    'Transaction rejected by the node',
    'Attempt to debit an account but found no record of a prior credit.',
  ])('may have sent if it fails with “%s”', async (message) => {
    await expect(send(throwing(new Error(message)))).rejects.toThrow(Unsure);
  });

  it('may have sent if it returns nothing', async () => {
    await expect(send(sender(async () => []))).rejects.toThrow(Unsure);
  });

  it.each([
    new Error('User rejected the request.'),
    new Error('User denied transaction signature'),
    new Error('The user declined.'),
    Object.assign(new Error('no'), { code: 4001 }),
  ])('has not sent what the payer declined: %s', async (no) => {
    const thrown = await send(throwing(no)).catch((error: unknown) => error);
    expect(thrown).toBe(no);
    expect(solanaFault(thrown)).toBe('REJECTED');
  });
});

describe('a sent transaction', () => {
  const statuses = (...value: unknown[]) => rpc({ result: { context: { slot: 9 }, value } });
  const status = (confirmationStatus: string, err: unknown) => ({ slot: 8, confirmations: 1, err, confirmationStatus });

  it.each<[string, unknown, string]>([
    ['confirmed', status('confirmed', null), 'DONE'],
    ['finalized', status('finalized', null), 'DONE'],
    ['in a block, and failed', status('confirmed', { InstructionError: [0, 'Custom'] }), 'REVERTED'],
    ['in a block that may be dropped', status('processed', null), 'UNKNOWN'],
    ['in a block that may be dropped, and failed', status('processed', { InstructionError: [0, 'Custom'] }), 'UNKNOWN'],
    ['nowhere in its history', null, 'NOT_THERE'],
  ])('is looked up at the node, which has it %s', async (_about, response, found) => {
    answers = [statuses(response)];
    expect(await findSignature(nodeUrl, signature)).toBe(found);
    expect(taken).toEqual([`getSignatureStatuses ${signature}`]);
    expect(searched).toBe(true);
  });

  it.each<[string, Answer]>([
    ['hangs up', 'hang up'],
    ['answers in its own words', { status: 502, body: '<html>Bad gateway</html>' }],
    ['refuses', rpc({ error: { code: -32005, message: 'Node is behind' } })],
    ['answers nothing', statuses()],
  ])('is not considered missing with a node that %s', async (_about, answer) => {
    answers = [answer];
    await expect(findSignature(nodeUrl, signature)).rejects.toThrow();
  });
});
