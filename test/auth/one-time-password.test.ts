/** One-time passwords: their limits and expiry by a clock that the test advances, their storage, and their mail. */
import { expect, test } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { mailOneTimePassword } from '../../src/auth/one-time-password/mail-one-time-password.ts';
import { requestOneTimePassword } from '../../src/auth/one-time-password/request-one-time-password.ts';
import { spendOneTimePassword } from '../../src/auth/one-time-password/spend-one-time-password.ts';
import { purgeTokens } from '../../src/auth/tokens/purge-tokens.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { unseal } from '../../src/platform/secret-box.ts';
import { openCardGround } from '../card/card-ground.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openMailbox } from '../setup/mail/mailbox.ts';
import { onTeardown } from '../setup/teardown.ts';

const { database } = await freshDatabase();
const secretKeys = openSecretKeys({});
const passwordLimits = { perAddressHour: 5, wrongPerAddressDay: 20, perNetworkHour: 1000 };
/** No worker takes jobs from this queue, so that the test can read them. */
const world = worldAt(new Date('2026-03-01T12:00:00Z'));

function worldAt(start: Date) {
  let now = start.getTime();
  const advance = (seconds: number) => {
    now += seconds * 1000;
  };
  return { database, secretKeys, config: { passwordLimits }, clock: { now: () => new Date(now) }, advance };
}

type World = Omit<ReturnType<typeof worldAt>, 'advance'>;
type Purpose = 'CARD' | 'DASHBOARD';

async function queued(requestId: string): Promise<{ requestId: string; sealedCode: string }> {
  const [job] = await database.$queryRaw<{ payload: { requestId: string; sealedCode: string } }[]>`
    SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'requestId' = ${requestId}`;
  if (!job) throw new Error('Nothing is queued.');
  return job.payload;
}

async function asked(email: string, purpose: Purpose = 'CARD', at: World = world) {
  const made = await requestOneTimePassword(at, { purpose, email, networkAddress: '192.0.2.1' });
  const code = unseal(secretKeys.mails, (await queued(made.requestId)).sealedCode);
  return { ...made, code, wrong: String((Number(code) + 1) % 1_000_000).padStart(6, '0') };
}

function spend(request: { requestId: string; code: string }, purpose: Purpose = 'CARD', at: World = world) {
  return spendOneTimePassword(at, { purpose, ...request }, async (_tx, email) => email);
}

const refusedAs = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: { code?: string }) => error.code ?? String(error),
  );

test('a code is valid for ten minutes, five attempts, one use and its own purpose', async () => {
  const used = await asked(' Ada@Example.com ');
  expect(used.code).toMatch(/^\d{6}$/);
  expect(await refusedAs(spend(used, 'DASHBOARD'))).toBe('AUTHENTICATION_ERROR');
  expect(await spend(used)).toBe('ada@example.com');
  expect(await refusedAs(spend(used))).toBe('AUTHENTICATION_ERROR');

  const late = await asked('late@example.com');
  world.advance(599);
  const inTime = await asked('in-time@example.com');
  world.advance(1);
  expect(await refusedAs(spend(late))).toBe('AUTHENTICATION_ERROR');
  expect(await spend(inTime)).toBe('in-time@example.com');

  const guessed = await asked('guessed@example.com');
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(await refusedAs(spend({ ...guessed, code: guessed.wrong }))).toBe('AUTHENTICATION_ERROR');
  }
  expect(await refusedAs(spend(guessed))).toBe('AUTHENTICATION_ERROR');
  expect(await refusedAs(spend({ ...guessed, requestId: '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11' }))).toBe(
    'AUTHENTICATION_ERROR',
  );
});

test('of many concurrent guesses five count, and a code is used only once', async () => {
  const one = await asked('race@example.com');
  const both = await Promise.all(Array.from({ length: 6 }, () => refusedAs(spend(one))));
  expect(both.filter((answer) => answer === 'taken')).toHaveLength(1);

  const guessed = await asked('race-guess@example.com');
  await Promise.all(Array.from({ length: 12 }, () => refusedAs(spend({ ...guessed, code: guessed.wrong }))));
  const row = await database.oneTimePassword.findUniqueOrThrow({ where: { id: guessed.requestId } });
  expect(row.tries).toBe(5);
});

test('a code whose effect fails is not consumed', async () => {
  const one = await asked('effect@example.com');
  const failing = spendOneTimePassword(world, { purpose: 'CARD', ...one }, () => Promise.reject(new Error('no')));
  expect(await refusedAs(failing)).toBe('Error: no');
  expect(await spend(one)).toBe('effect@example.com');
});

test('an email address can request a code once a minute and five times an hour for any purpose', async () => {
  const email = 'often@example.com';
  const faultOf = (purpose: Purpose) =>
    asked(email, purpose).then(
      () => null,
      (error: { code: string; retryAfterSeconds: number }) => [error.code, error.retryAfterSeconds],
    );
  await asked(email);
  world.advance(20);
  expect(await faultOf('DASHBOARD')).toEqual(['RATE_LIMIT_EXCEEDED', 40]);
  for (let more = 0; more < 4; more++) {
    world.advance(60);
    expect(await faultOf('CARD')).toBeNull();
  }
  world.advance(60);
  // The first of the five stops counting 3600 s after its creation.
  expect(await faultOf('CARD')).toEqual(['RATE_LIMIT_EXCEEDED', 3600 - 320]);
  world.advance(3600 - 320);
  expect(await faultOf('CARD')).toBeNull();
});

test('twenty wrong codes a day lock an email address, even for the correct code', async () => {
  const email = 'locked@example.com';
  for (let round = 0; round < 4; round++) {
    const one = await asked(email);
    for (let attempt = 0; attempt < 5; attempt++) await refusedAs(spend({ ...one, code: one.wrong }));
    world.advance(1800);
  }
  const right = await asked(email);
  const refused = await spend(right).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 86_400 - 4 * 1800 });
  world.advance(86_400 - 4 * 1800);
  expect(await spend(await asked(email))).toBe(email);
});

test('a network address can request a limited number of codes an hour', async () => {
  const few = { ...world, config: { passwordLimits: { ...passwordLimits, perNetworkHour: 2 } } };
  const ask = (email: string, networkAddress: string) =>
    refusedAs(requestOneTimePassword(few, { purpose: 'CARD', email, networkAddress }));
  expect(await ask('n1@example.com', '198.51.100.7')).toBe('taken');
  expect(await ask('n2@example.com', '198.51.100.7')).toBe('taken');
  expect(await ask('n3@example.com', '198.51.100.7')).toBe('RATE_LIMIT_EXCEEDED');
  expect(await ask('n3@example.com', '198.51.100.8')).toBe('taken');
});

test('a code is not stored in readable form in any row or job', async () => {
  const one = await asked('secret@example.com');
  const row = await database.oneTimePassword.findUniqueOrThrow({ where: { id: one.requestId } });
  const job = await queued(one.requestId);
  const { codeHash, ...columns } = row;
  // An ID may contain the six digits by chance, so IDs are removed before the search.
  const kept = JSON.stringify({ ...columns, id: '', sealed: job.sealedCode }).replace(/\d{4}-\d\d-\d\dT[^"]*/g, '');
  expect(kept).not.toContain(one.code);
  expect(Buffer.from(codeHash).toString('utf8')).not.toContain(one.code);
  expect(codeHash).toHaveLength(32);
  // Each request hashes its code differently, so that a table of a million hashes finds no code.
  expect(await refusedAs(spend({ requestId: one.requestId, code: one.wrong }))).toBe('AUTHENTICATION_ERROR');
});

test('a dashboard code is mailed to members only, and not after it has expired', async () => {
  const merchant = await database.merchant.create({ data: { id: crypto.randomUUID(), name: 'Alpha' } });
  await inviteMember(world, { merchantId: merchant.id, email: 'Owner@Example.com', role: 'OWNER' });
  const { url: smtpUrl, mails } = await openMailbox();
  const mailer = openMailer({ smtpUrl, from: 'no-reply@example.com', isProduction: true, log: silentLog });
  onTeardown(async () => mailer.close());
  const mailTo = async (email: string, purpose: Purpose) => {
    const one = await asked(email, purpose);
    const job = await queued(one.requestId);
    return { one, mail: () => mailOneTimePassword({ ...world, mailer }, job) };
  };
  const member = await mailTo('owner@example.com', 'DASHBOARD');
  const stranger = await mailTo('stranger@example.com', 'DASHBOARD');
  const over = await mailTo('over@example.com', 'CARD');
  expect(Object.keys(stranger.one).sort()).toEqual(Object.keys(member.one).sort());
  await stranger.mail();
  await member.mail();
  world.advance(600);
  await over.mail();
  expect(mails.map((mail) => mail.to)).toEqual([['owner@example.com']]);
  expect(mails[0]?.text).toContain(member.one.code);
  // The response does not reveal this: a stranger's correct code fails like a wrong one.
  expect(await refusedAs(spend(stranger.one, 'DASHBOARD'))).toBe('AUTHENTICATION_ERROR');
});

test('expired data is purged, and valid data is kept', async () => {
  const old = await asked('old@example.com');
  await database.accountProof.create({ data: { account: 'eip155:1:0x1', nonce: 'old', createdAt: world.clock.now() } });
  world.advance(2 * 86_400 + 1);
  const fresh = await asked('fresh@example.com');
  await database.accountProof.create({ data: { account: 'eip155:1:0x1', nonce: 'new', createdAt: world.clock.now() } });
  await purgeTokens(world);
  const ids = (await database.oneTimePassword.findMany({ select: { id: true } })).map(({ id }) => id);
  expect([ids.includes(old.requestId), ids.includes(fresh.requestId)]).toEqual([false, true]);
  expect((await database.accountProof.findMany()).map(({ nonce }) => nonce)).toEqual(['new']);
});

test('over HTTP, mails a code as text and HTML, rejects an early resend, and names each invalid field', async () => {
  const ground = await openCardGround();
  const first = await ground.card('POST', '/auth/otp/request', { body: { email: 'Ada@Example.com' } });
  expect([first.status, first.body.resendAfterSeconds]).toEqual([200, 60]);
  const code = await ground.mailedCode('ada@example.com');
  const mail = ground.mails[0]?.text.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
  expect(mail).toMatch(/^Subject: Your login code: \d{6}\r$/m);
  expect(mail).toMatch(/content-type: text\/plain/i);
  expect(mail).toMatch(/content-type: text\/html/i);
  expect(mail.split(code)).toHaveLength(4);

  const again = await ground.card('POST', '/auth/otp/request', { body: { email: 'ada@example.com' } });
  expect([again.status, again.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
  const fieldsOf = async (path: string, body: object) => {
    const { status, body: answer } = await ground.card('POST', path, { body });
    return [status, ...answer.error.details.map((fault: { param: string }) => fault.param)];
  };
  expect(await fieldsOf('/auth/otp/request', { email: 'not an address' })).toEqual([400, 'email']);
  expect(await fieldsOf('/auth/otp/verify', { requestId: 'x', code: '12a456' })).toEqual([400, 'requestId', 'code']);
});
