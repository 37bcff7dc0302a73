/** The card API as used by a client: a code by mail, a session with wallets of three families, and single signatures. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { base58, base64 } from '@scure/base';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { claimsIn, openCardGround, signInMessage } from './card-ground.ts';

const ground = await openCardGround();
const { card, clock } = ground;
const origin = 'https://shop.example';
const evm = privateKeyToAccount(generatePrivateKey());
const solana = solanaWallet();
const sui = Ed25519Keypair.generate();
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

function solanaWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return {
    address: base58.encode(new Uint8Array(Buffer.from(jwk.x ?? '', 'base64url'))),
    sign: (message: Uint8Array) => base58.encode(new Uint8Array(sign(null, message, key))),
  };
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function proofs(token: string, from = origin) {
  const evmMessage = signInMessage({ origin: from, address: evm.address, reference: '31337', token });
  const solanaMessage = signInMessage({
    origin: from,
    address: solana.address,
    family: 'Solana',
    reference: DEVNET,
    token,
  });
  const suiAddress = sui.toSuiAddress();
  const suiMessage = signInMessage({ origin: from, address: suiAddress, family: 'Sui', reference: 'devnet', token });
  return [
    {
      account: `eip155:31337:${evm.address}`,
      message: evmMessage,
      signature: await evm.signMessage({ message: evmMessage }),
    },
    {
      account: `solana:${DEVNET}:${solana.address}`,
      message: solanaMessage,
      signature: solana.sign(bytes(solanaMessage)),
    },
    {
      account: `sui:devnet:${suiAddress}`,
      message: suiMessage,
      signature: (await sui.signPersonalMessage(bytes(suiMessage))).signature,
      label: 'Savings',
    },
  ];
}

async function connected(email: string) {
  const { accessToken } = await ground.logIn(email);
  const { body } = await card('POST', '/session-connect/session', {
    token: accessToken,
    body: { clientOrigin: origin, accounts: await proofs(accessToken) },
  });
  return { accessToken, sessionToken: String(body.sessionToken), sessionId: String(body.sessionId) };
}

const start = (token: string, body: object) =>
  card('POST', '/onetime-connect/start', { token, body: { clientOrigin: origin, ...body } });

const personalSign = (message: string) => ({
  chainId: 'eip155:31337',
  account: evm.address,
  method: 'personal_sign',
  params: [message, evm.address],
});

describe('a session', () => {
  test('links wallets of three families, lists them, and ends when it is revoked', async () => {
    const { accessToken } = await ground.logIn('Ada@Example.com');
    expect(claimsIn(accessToken)).toMatchObject({ aud: 'card', iss: ground.world.config.publicUrl });
    const opened = await card('POST', '/session-connect/session', {
      token: accessToken,
      body: { clientOrigin: 'https://SHOP.example', accounts: await proofs(accessToken) },
    });
    expect(opened).toMatchObject({ status: 200, body: { tokenType: 'Bearer' } });
    const names = opened.body.accounts.map((one: { account: string }) => one.account);
    expect(names).toEqual([
      `eip155:31337:${evm.address}`,
      `solana:${DEVNET}:${solana.address}`,
      `sui:devnet:${sui.toSuiAddress()}`,
    ]);
    const token = opened.body.sessionToken;
    const listed = await card('GET', '/session-connect/accounts', { token });
    expect(listed.body.accounts).toEqual(opened.body.accounts);
    const profile = await card('GET', '/wallet/profile', { token });
    expect(profile.body).toMatchObject({ email: 'ada@example.com', displayName: null, accounts: listed.body.accounts });

    const authorization = { headers: { authorization: `Bearer ${accessToken}` } };
    const unlink = 'mutation($input: UnlinkAccountInput!) { unlinkAccount(input: $input) }';
    const unlinked = await ground.graphql(unlink, { input: { account: names[0] } }, authorization);
    expect(unlinked.data).toEqual({ unlinkAccount: true });
    expect((await card('GET', '/session-connect/accounts', { token })).body.accounts).toHaveLength(2);

    const revoke = 'mutation($id: ID!) { revokeSession(id: $id) { revokedAt } }';
    const foreign = (await ground.logIn('mallory@example.com')).accessToken;
    const stranger = { headers: { authorization: `Bearer ${foreign}` } };
    const refused = await ground.graphql(revoke, { id: opened.body.sessionId }, stranger);
    expect(refused.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await ground.graphql(revoke, { id: opened.body.sessionId }, authorization);
    expect((await card('GET', '/session-connect/accounts', { token })).status).toBe(401);
  });

  test('accepts a proof for its own origin, account and token once, and names each invalid one', async () => {
    const { accessToken } = await ground.logIn('bob@example.com');
    const good = await proofs(accessToken);
    const elsewhere = await proofs(accessToken, 'https://evil.example');
    const swapped = { ...good[1], signature: solana.sign(bytes('something else')) };
    const old = signInMessage({
      origin,
      address: evm.address,
      reference: '31337',
      token: accessToken,
      issuedAt: new Date(clock.now().getTime() - 301_000),
    });
    const oldProof = { ...good[0], message: old, signature: await evm.signMessage({ message: old }) };
    const open = (accounts: unknown[]) =>
      card('POST', '/session-connect/session', { token: accessToken, body: { clientOrigin: origin, accounts } });

    const wrong = await open([elsewhere[0], swapped, { ...good[2], account: 'sui:devnet:0x12' }]);
    expect(wrong.status).toBe(400);
    expect(wrong.body.error.details.map((fault: { param: string }) => fault.param)).toEqual([
      'accounts[0].message',
      'accounts[1].signature',
      'accounts[2].message',
    ]);
    expect((await open([oldProof])).body.error.details[0].message).toMatch(/more than 300 seconds/);
    expect(await ground.database.linkedAccount.count({ where: { user: { email: 'bob@example.com' } } })).toBe(0);

    expect((await open(good)).status).toBe(200);
    const replayed = await open(good.slice(0, 1));
    expect([replayed.status, replayed.body.error.details[0].param]).toEqual([400, 'accounts[0].message']);
    const malformed = await card('POST', '/session-connect/session', {
      token: accessToken,
      body: { clientOrigin: 'https://shop.example/path', accounts: [] },
    });
    expect([malformed.status, malformed.body.error.param]).toEqual([400, 'clientOrigin']);
  });
});

test('replays the first response to a POST with the same Idempotency-Key', async () => {
  const { accessToken } = await ground.logIn('again@example.com');
  const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': crypto.randomUUID() };
  const post = (path: string, body: object, key = headers['idempotency-key']) =>
    ground.rest('POST', `/v1${path}`, { headers: { ...headers, 'idempotency-key': key }, body });
  // Without the key the second call would be rejected, because its nonces are used.
  const session = { clientOrigin: origin, accounts: await proofs(accessToken) };
  const opened = await post('/session-connect/session', session);
  const again = await post('/session-connect/session', session);
  expect([again.status, again.body]).toEqual([200, opened.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');

  const asked = { clientOrigin: origin, ...personalSign('Once') };
  const key = crypto.randomUUID();
  const started = await Promise.all([1, 2].map(() => post('/onetime-connect/start', asked, key)));
  expect(started.map(({ status }) => status)).toEqual([202, 202]);
  expect(started[1]?.body).toEqual(started[0]?.body);
  expect(await ground.database.onetimeRequest.count({ where: { user: { email: 'again@example.com' } } })).toBe(1);
  const other = await post('/onetime-connect/start', { ...asked, expirySeconds: 10 }, key);
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  const records = await ground.database.idempotencyRecord.findMany();
  expect(JSON.stringify(records.map(({ result }) => result))).not.toContain(started[0]?.body.onetimeToken);
});

describe('a onetime request', () => {
  test('is signed by personal_sign, replayed, and rejects another decision', async () => {
    const { sessionToken, accessToken } = await connected('carol@example.com');
    const started = await start(sessionToken, personalSign('Pay 12 USDC to Alpha'));
    expect(started).toMatchObject({
      status: 202,
      body: { status: 'PENDING', display: { summary: 'Sign the message “Pay 12 USDC to Alpha”.' } },
    });
    const { id, onetimeToken } = started.body;
    expect(claimsIn(onetimeToken)).toMatchObject({ aud: 'onetime-connect', rid: id });
    const confirm = (body: object, at = id, token = onetimeToken) =>
      card('POST', `/onetime-connect/${at}/confirm`, { token, body });

    const stranger = privateKeyToAccount(generatePrivateKey());
    const forged = await stranger.signMessage({ message: 'Pay 12 USDC to Alpha' });
    const refused = await confirm({ decision: 'APPROVE', signature: forged });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'signature']);
    expect((await confirm({ decision: 'APPROVE' })).body.error.param).toBe('signature');
    expect((await confirm({ decision: 'REJECT' }, UNKNOWN)).status).toBe(404);

    const signature = await evm.signMessage({ message: 'Pay 12 USDC to Alpha' });
    const signed = await confirm({ decision: 'APPROVE', signature });
    expect(signed).toMatchObject({
      status: 200,
      body: { id, status: 'SIGNED', result: { signature, encoding: 'hex' } },
    });
    expect((await confirm({ decision: 'APPROVE', signature })).body).toEqual(signed.body);
    const other = await confirm({ decision: 'REJECT' });
    expect([other.status, other.body.error.code]).toEqual([409, 'INVALID_STATE']);

    const activity = await card('GET', '/wallet/activity?limit=1', { token: accessToken });
    expect(activity.body).toMatchObject({
      items: [{ id, status: 'SIGNED', method: 'personal_sign' }],
      nextCursor: null,
    });
    const elsewhere = `/wallet/activity?clientOrigin=${encodeURIComponent('https://other.example')}`;
    expect((await card('GET', elsewhere, { token: accessToken })).body).toEqual({ items: [], nextCursor: null });
  });

  test('is signed as typed data of its own chain, and explains what a permit allows', async () => {
    const { accessToken } = await connected('dan@example.com');
    const typedData = {
      domain: { name: 'Coin', version: '1', chainId: 31337, verifyingContract: evm.address },
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit' as const,
      message: {
        owner: evm.address,
        spender: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const,
        value: (2n ** 256n - 1n).toString(),
        nonce: '0',
        deadline: '1900000000',
      },
    };
    const request = { chainId: 'eip155:31337', account: evm.address, method: 'eth_signTypedData_v4' };
    const started = await start(accessToken, { ...request, params: [evm.address, JSON.stringify(typedData)] });
    expect(started.status).toBe(202);
    expect(started.body.display.summary).toMatch(/^Allow 0x7099.* to spend an unlimited amount .*until 2030-/);
    expect(started.body.display.warnings[0]).toMatch(/take everything/);
    const { domain, types, primaryType, message } = typedData;
    const signature = await evm.signTypedData({
      domain,
      types,
      primaryType,
      message: { ...message, value: BigInt(message.value), nonce: 0n, deadline: 1900000000n },
    });
    const signed = await card('POST', `/onetime-connect/${started.body.id}/confirm`, {
      token: started.body.onetimeToken,
      body: { decision: 'APPROVE', signature },
    });
    expect(signed).toMatchObject({ status: 200, body: { status: 'SIGNED' } });

    const foreign = { ...typedData, domain: { ...typedData.domain, chainId: 1 } };
    const refused = await start(accessToken, { ...request, params: [evm.address, foreign] });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'params[1].domain.chainId']);
  });

  test('is signed by Solana and Sui wallets', async () => {
    const { accessToken } = await connected('eve@example.com');
    const text = bytes('Hello from three chains');
    const ofSolana = await start(accessToken, {
      chainId: `solana:${DEVNET}`,
      account: `solana:${DEVNET}:${solana.address}`,
      method: 'solana_signMessage',
      params: { message: base58.encode(text), pubkey: solana.address },
    });
    const ofSui = await start(accessToken, {
      chainId: 'sui:devnet',
      account: sui.toSuiAddress(),
      method: 'sui_signPersonalMessage',
      params: { message: base64.encode(text) },
    });
    const confirm = (started: typeof ofSui, signature: string) =>
      card('POST', `/onetime-connect/${started.body.id}/confirm`, {
        token: started.body.onetimeToken,
        body: { decision: 'APPROVE', signature },
      });
    expect((await confirm(ofSolana, solana.sign(bytes('another')))).status).toBe(400);
    expect((await confirm(ofSolana, solana.sign(text))).body).toMatchObject({ result: { encoding: 'base58' } });
    const stranger = await Ed25519Keypair.generate().signPersonalMessage(text);
    expect((await confirm(ofSui, stranger.signature)).status).toBe(400);
    expect((await confirm(ofSui, (await sui.signPersonalMessage(text)).signature)).body).toMatchObject({
      status: 'SIGNED',
      result: { encoding: 'base64' },
    });
  });

  test('is rejected or expires, and fails for what cannot be verified', async () => {
    const { accessToken, sessionToken } = await connected('frank@example.com');
    const rejected = await start(accessToken, personalSign('No'));
    const confirm = (started: typeof rejected, body: object) =>
      card('POST', `/onetime-connect/${started.body.id}/confirm`, { token: started.body.onetimeToken, body });
    const answer = await confirm(rejected, { decision: 'REJECT' });
    expect(answer.body).toMatchObject({ status: 'REJECTED', result: null });
    expect((await confirm(rejected, { decision: 'REJECT' })).body).toEqual(answer.body);

    const late = await start(accessToken, { ...personalSign('Late'), expirySeconds: 60 });
    clock.advance(61);
    const expired = await confirm(late, { decision: 'REJECT' });
    expect([expired.status, expired.body.error.code]).toEqual([410, 'EXPIRED']);
    const activity = await card('GET', '/wallet/activity', { token: accessToken });
    expect(activity.body.items.map((item: { status: string }) => item.status)).toEqual(['EXPIRED', 'REJECTED']);
    const paged = await card('GET', '/wallet/activity?limit=1', { token: accessToken });
    const next = await card('GET', `/wallet/activity?limit=1&cursor=${paged.body.nextCursor}`, { token: accessToken });
    expect(next.body.items[0].status).toBe('REJECTED');

    const faultOf = async (body: object, token = accessToken) => {
      const { status, body: answer } = await start(token, { ...personalSign('x'), ...body });
      return [status, answer.error?.param];
    };
    expect(await faultOf({ method: 'eth_sign' })).toEqual([400, 'method']);
    expect(await faultOf({ chainId: 'eip155:x' })).toEqual([400, 'chainId']);
    expect(await faultOf({ account: `${evm.address}0` })).toEqual([400, 'account']);
    expect(await faultOf({ params: ['x', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'] })).toEqual([400, 'params[1]']);
    expect(await faultOf({ expirySeconds: 301 })).toEqual([400, 'expirySeconds']);
    expect(await faultOf({ clientOrigin: 'https://other.example' }, sessionToken)).toEqual([403, 'clientOrigin']);
  });
});

test('rejects every kind of token where another is required', async () => {
  const { accessToken, sessionToken } = await connected('grace@example.com');
  const started = await start(accessToken, personalSign('Hi'));
  const tokens = { access: accessToken, session: sessionToken, onetime: String(started.body.onetimeToken) };
  const body = { decision: 'REJECT' };
  const endpoints: [method: string, path: string, allowed: (keyof typeof tokens)[], body?: object][] = [
    ['POST', '/session-connect/session', ['access'], { clientOrigin: origin }],
    ['GET', '/session-connect/accounts', ['session']],
    ['POST', '/onetime-connect/start', ['access', 'session'], { clientOrigin: origin, ...personalSign('Hi') }],
    ['GET', '/onetime-connect/methods', ['access', 'session', 'onetime']],
    ['GET', '/wallet/profile', ['access', 'session']],
    ['GET', '/wallet/activity', ['access', 'session']],
    ['POST', `/onetime-connect/${started.body.id}/confirm`, ['onetime'], body],
  ];
  for (const [method, path, allowed, payload] of endpoints) {
    for (const kind of ['access', 'session', 'onetime'] as const) {
      const answer = await card(method, path, { token: tokens[kind], ...(payload ? { body: payload } : {}) });
      const expected = allowed.includes(kind) ? (path.endsWith('start') ? 202 : 200) : 403;
      expect.soft([path, kind, answer.status]).toEqual([path, kind, expected]);
    }
    const nobody = await card(method, path, payload ? { body: payload } : {});
    expect.soft([path, nobody.status]).toEqual([path, 401]);
  }
  for (const token of Object.values(tokens)) {
    const payments = await ground.rest('GET', '/payments/intents', { headers: { authorization: `Bearer ${token}` } });
    expect(payments.status).toBe(403);
  }
});
