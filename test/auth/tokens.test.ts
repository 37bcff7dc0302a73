/** Forged tokens and rotations: only tokens with our signature are valid, for their own kind and until they expire. */
import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { authenticate } from '../../src/auth/authenticate.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { purgeTokens } from '../../src/auth/tokens/purge-tokens.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { openSigningKeys, rotateSigningKeys } from '../../src/auth/tokens/signing-keys.ts';
import { unseal } from '../../src/platform/secret-box.ts';
import { claimsIn } from '../card/card-ground.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase();
const sealKey = openSecretKeys({}).signing;
let nowMs = new Date('2026-03-01T12:00:00Z').getTime();
const clock = { now: () => new Date(nowMs) };
const config = { publicUrl: 'https://pay.example' };
/** One process of the installation. */
const anotherProcess = () => {
  const world = { database, clock, config };
  return { ...world, signingKeys: openSigningKeys(world, { sealKey }) };
};
const world = anotherProcess();
const userId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const subject = { audience: 'card' as const, userId };
const bearer = (token: string, at = world) => authenticate(at, { authorization: `Bearer ${token}` });
const answer = (token: string, at = world) =>
  bearer(token, at).then(
    (principal) => principal.kind,
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
  );
const REFUSED = 'AUTHENTICATION_ERROR: The bearer token is not valid.';

/** A token signed with our own key, which no outsider can make, with one invalid claim. */
async function forged(change: { claims?: JWTPayload; header?: object; without?: string[] } = {}): Promise<string> {
  const { kid, key } = await world.signingKeys.current();
  const seconds = Math.floor(nowMs / 1000);
  const claims: JWTPayload = {
    iss: config.publicUrl,
    aud: 'card',
    sub: userId,
    jti: crypto.randomUUID(),
    iat: seconds,
    exp: seconds + 60,
    ...change.claims,
  };
  for (const name of change.without ?? []) delete claims[name];
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid, ...change.header }).sign(key);
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('valid tokens are accepted, and the others are rejected without a reason', async () => {
  expect(await answer((await issueToken(world, { subject })).token)).toBe('card');
  expect(await answer(await forged())).toBe('card');
  const seconds = Math.floor(nowMs / 1000);
  const wrong: Parameters<typeof forged>[0][] = [
    { claims: { iss: 'https://evil.example' } },
    { claims: { iss: `${config.publicUrl}/` } },
    { claims: { aud: 'payments' } },
    { claims: { aud: ['card', 'dashboard'] } },
    // Another kind without the claim of its session.
    { claims: { aud: 'dashboard' } },
    { claims: { aud: 'session-connect', sid: userId } },
    { claims: { sub: 'everybody' } },
    { claims: { iat: seconds + 60 } },
    { claims: { nbf: seconds + 60 } },
    { header: { kid: 'unknown' } },
    { header: { kid: undefined } },
    ...['iss', 'aud', 'sub', 'jti', 'iat', 'exp'].map((name) => ({ without: [name] })),
  ];
  for (const change of wrong) expect.soft([change, await answer(await forged(change))]).toEqual([change, REFUSED]);
  const expired = await answer(await forged({ claims: { iat: seconds - 120, exp: seconds - 1 } }));
  expect(expired).toBe('AUTHENTICATION_ERROR: The token has expired.');
});

test('other algorithms are rejected: none, HMAC with the public key, and keys embedded in the token', async () => {
  const [publicJwk] = (await world.signingKeys.published()).keys;
  const kid = publicJwk?.kid ?? '';
  const payload = encoded(claimsIn(await forged()));
  const pem = await exportSPKI(await importJWKAsKey(publicJwk ?? {}));
  for (const secret of [
    pem,
    JSON.stringify(publicJwk),
    publicJwk?.x ?? '',
    Buffer.from(publicJwk?.x ?? '', 'base64url'),
  ]) {
    const head = encoded({ alg: 'HS256', kid, typ: 'JWT' });
    const signature = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
    expect(await answer(`${head}.${payload}.${signature}`)).toBe(REFUSED);
  }
  for (const alg of ['none', 'None', 'NONE', '']) {
    expect(await answer(`${encoded({ alg, kid })}.${payload}.`)).toBe(REFUSED);
  }
  const own = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  for (const header of [{ kid }, { kid, jwk }, { kid, jku: 'https://evil.example/jwks.json' }]) {
    const token = await new SignJWT(claimsIn(await forged()))
      .setProtectedHeader({ alg: 'ES256', ...header })
      .sign(own.privateKey);
    expect(await answer(token)).toBe(REFUSED);
  }
});

async function importJWKAsKey(jwk: object) {
  const key = await importJWK({ ...jwk, ext: true }, 'ES256', { extractable: true });
  if (key instanceof Uint8Array) throw new Error('A symmetric key.');
  return key;
}

test('a token with any changed part is rejected', async () => {
  const token = await forged();
  const [head = '', payload = '', signature = ''] = token.split('.');
  const lifted = encoded({ ...claimsIn(token), sub: crypto.randomUUID() });
  expect(await answer(`${head}.${lifted}.${signature}`)).toBe(REFUSED);
  for (const at of [0, 20, 60]) {
    const other = signature[at] === 'A' ? 'B' : 'A';
    expect(await answer(`${head}.${payload}.${signature.slice(0, at)}${other}${signature.slice(at + 1)}`)).toBe(
      REFUSED,
    );
  }
  for (const broken of [
    '',
    '.',
    '..',
    `${head}.${payload}`,
    `${head}.${payload}.`,
    `${token}.x`,
    `${head}..${signature}`,
  ]) {
    expect(await answer(broken)).toBe(REFUSED);
  }
});

test('after a rotation, old tokens remain valid until they expire, and all processes use the new key', async () => {
  const other = anotherProcess();
  const before = (await issueToken(world, { subject })).token;
  expect(await answer(before, other)).toBe('card');
  const oldKid = (await world.signingKeys.current()).kid;
  nowMs += 1000;
  const made = await rotateSigningKeys(world, { sealKey });
  const rotated = anotherProcess();
  const after = (await issueToken(rotated, { subject })).token;
  expect(JSON.parse(Buffer.from(after.split('.')[0] ?? '', 'base64url').toString()).kid).toBe(made.kid);
  expect((await rotated.signingKeys.published()).keys.map(({ kid }) => kid)).toEqual([made.kid, oldKid]);
  expect(await answer(before, rotated)).toBe('card');
  // A process that remembers the previous keys reads them again for an unknown kid, two seconds after the last read.
  await expect.poll(() => answer(after, other), { timeout: 20_000, interval: 200 }).toBe('card');

  // After the longest lifetime of a token the old key verifies no tokens, even one with a later expiry.
  const { key } = await keyOf(oldKid);
  nowMs += 86_400_000 + 61_000;
  const seconds = Math.floor(nowMs / 1000);
  const claims = { ...claimsIn(before), iat: seconds - 10, exp: seconds + 60 };
  const stale = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: oldKid }).sign(key);
  expect(await answer(stale, rotated)).toBe(REFUSED);
  expect((await anotherProcess().signingKeys.published()).keys.map(({ kid }) => kid)).toEqual([made.kid]);
  nowMs += 3 * 86_400_000;
  await purgeTokens(world);
  expect((await database.signingKey.findMany()).map(({ kid }) => kid)).toEqual([made.kid]);
});

/** The private part of a key, which only TOKEN_SECRET can decrypt. */
async function keyOf(kid: string) {
  const row = await database.signingKey.findUniqueOrThrow({ where: { kid } });
  expect(row.sealedPrivate).not.toContain('"d"');
  expect(JSON.stringify(row.publicJwk)).not.toContain('"d"');
  return { key: await importJWK(JSON.parse(unseal(sealKey, row.sealedPrivate)), 'ES256') };
}

test('processes that start at the same time create one key', async () => {
  await database.signingKey.deleteMany();
  const kids = await Promise.all(
    Array.from({ length: 4 }, async () => (await anotherProcess().signingKeys.current()).kid),
  );
  expect(new Set(kids).size).toBe(1);
  expect(await database.signingKey.count()).toBe(1);
});

test('production requires a secret for tokens', () => {
  expect(() => openSecretKeys({ isProduction: true })).toThrow(/TOKEN_SECRET/);
  expect(openSecretKeys({ isProduction: true, tokenSecret: 'x'.repeat(32) }).signing).toHaveLength(32);
});
