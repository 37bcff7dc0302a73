/** The audit log covers every mutation of the schema, and each recorded mutation leaves exactly one entry. */
import { describe, expect, test } from 'vitest';
import { auditedMutations } from '../../../src/api/graphql/audit/audited-mutations.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { auditActions } from '../../../src/auth/audit/audit-entry.ts';
import { openCardGround } from '../../card/card-ground.ts';
import { newTestApp } from '../../setup/api/api.ts';
import { followWs, wsClient } from '../../setup/api/live.ts';
import { paymentEnvironment } from '../../setup/chains/payment-in.ts';
import { makeTenantRows } from '../../setup/database/tenant-rows.ts';
import { auditedCalls, prepareCall } from './audited-calls.ts';

const api = await openCardGround({
  ...paymentEnvironment,
  environment: { ...paymentEnvironment.environment, TRUSTED_PROXIES: '1' },
});
const { database } = api;
const FROM = { 'x-forwarded-for': '2001:db8::7', 'user-agent': 'a test' };

const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
const recorded = Object.entries(auditedMutations).flatMap(([name, audited]) =>
  'unrecorded' in audited ? [] : [{ name, actions: [...audited] }],
);
const entries = () => database.auditEntry.findMany({ orderBy: { id: 'asc' } });
const entriesOf = (requestId: string | null) => database.auditEntry.findMany({ where: { requestId: requestId ?? '' } });

test('the table lists exactly the mutations of the schema, with a reason for each that is not recorded', () => {
  expect(Object.keys(auditedMutations).sort()).toEqual([...mutations].sort());
  const unrecorded = Object.values(auditedMutations).filter((audited) => 'unrecorded' in audited);
  for (const audited of unrecorded) expect(audited).toEqual({ unrecorded: expect.stringMatching(/^[A-Z].{20,}\.$/) });
});

test('these tests call every recorded mutation', () => {
  const tried = [...Object.keys(auditedCalls), 'verifyLogin'];
  expect(tried.sort()).toEqual(recorded.map(({ name }) => name).sort());
});

describe.each(recorded.filter(({ name }) => name in auditedCalls))('$name', ({ name, actions }) => {
  test('leaves one entry, and none when it is repeated', async () => {
    const call = await prepareCall(api, name);
    const headers = { ...call.headers, ...FROM, 'idempotency-key': `audited ${name}` };
    const before = await database.auditEntry.count();
    const first = await api.graphql(call.document, {}, { headers });
    expect(first.errors).toBeUndefined();
    const requestId = first.headers.get('x-request-id');
    const made = await entriesOf(requestId);
    const wanted = call.leaves ?? actions.slice(0, 1);
    expect(made.map(({ action }) => action).sort()).toEqual([...wanted].sort());
    for (const entry of made) {
      expect(entry).toMatchObject({ ...call.actor, address: '2001:db8::7', userAgent: 'a test', requestId });
      expect(auditActions).toContain(entry.action);
      expect(entry.createdAt.getTime()).toBeGreaterThan(Date.now() - 600_000);
      const ofInstallation = ['Chain'].includes(entry.targetType);
      expect(entry.merchantId).toBe(ofInstallation ? null : call.owner.merchantId);
      if (entry.before && entry.after && entry.action !== 'test_clock.advanced')
        expect(entry.before).not.toEqual(entry.after);
      expect(JSON.stringify(entry)).not.toMatch(/(sk|pk|op|ar)_(test_|live_)?[\w-]{20,}|whsec_|keyHash|secretHash/);
    }
    await api.graphql(call.document, {}, { headers });
    expect(await database.auditEntry.count()).toBe(before + made.length);
  });

  test('is rolled back if its entry cannot be written, and succeeds afterwards', async () => {
    const call = await prepareCall(api, name);
    const headers = { ...call.headers, 'idempotency-key': `undone ${name}` };
    await database.$executeRawUnsafe('ALTER TABLE audit_entry ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    const undone = await api.graphql(call.document, {}, { headers });
    await database.$executeRawUnsafe('ALTER TABLE audit_entry DROP CONSTRAINT full_disk');
    expect(undone.errors?.[0]?.extensions.code).toBe('INTERNAL_ERROR');
    const before = await database.auditEntry.count();
    const done = await api.graphql(call.document, {}, { headers });
    expect(done.errors).toBeUndefined();
    expect(await database.auditEntry.count()).toBe(before + (call.leaves ?? [name]).length);
  });
});

test('an entry contains the fields that a call changed, before and after, and no others', async () => {
  const auditOf = async (name: string) => {
    const call = await prepareCall(api, name);
    const { headers } = await api.graphql(call.document, {}, { headers: call.headers });
    const made = await entriesOf(headers.get('x-request-id'));
    return { rows: call.rows, made };
  };
  expect((await auditOf('updateApp')).made).toMatchObject([
    { action: 'app.updated', targetType: 'App', before: { name: 'updateApp' }, after: { name: 'Renamed' } },
    {
      action: 'payout_address.set',
      before: { family: 'EVM', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
      after: { family: 'EVM', address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' },
    },
  ]);
  expect((await auditOf('updatePaymentLink')).made[0]).toMatchObject({
    before: { amount: '5' },
    after: { amount: '7' },
  });
  const refund = await auditOf('refundPaymentIntent');
  expect(refund.made[0]).toMatchObject({
    targetType: 'PaymentIntent',
    targetId: refund.rows.paid,
    before: { status: 'CAPTURED', leftAmount: '10' },
    after: { status: 'REFUND_PENDING', amount: '3', leftAmount: '7', reason: 'Broken', tokenKey: 'USDC-31337' },
  });
});

test('calls over REST and over a websocket are recorded alike', async () => {
  const { owner, rows } = await prepareCall(api, 'updateTaxRate');
  const key = owner.secretKey;
  const changed = await api.rest('PUT', `/tax-rates/${rows.taxRate}`, { key, body: { percentage: 7 }, headers: FROM });
  expect(await entriesOf(changed.headers.get('x-request-id'))).toMatchObject([
    { action: 'tax_rate.updated', before: { percentage: '20' }, after: { percentage: '7' }, address: '2001:db8::7' },
  ]);
  const client = wsClient(api.url, { 'x-api-key': key });
  await followWs(client, `mutation { archiveTaxRate(id: "${rows.taxRate}") { id } }`).next();
  await client.dispose();
  expect(
    await database.auditEntry.findFirst({ where: { targetId: rows.taxRate }, orderBy: { id: 'desc' } }),
  ).toMatchObject({
    before: { isActive: true },
    after: { isActive: false },
    actorKind: 'API_KEY',
    address: '127.0.0.1',
  });
});

test('a rejected change and one without effect leave no entry', async () => {
  const { owner, rows } = await prepareCall(api, 'updateTaxRate');
  const before = await database.auditEntry.count();
  const as = { key: owner.secretKey };
  const settings = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { id } }';
  const same = {
    name: 'updateTaxRate',
    payoutAddresses: [{ family: 'EVM', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }],
  };
  expect((await api.graphql(settings, { input: same }, as)).errors).toBeUndefined();
  expect((await api.graphql(settings, { input: { timelockDuration: 5 } }, as)).status).toBe(400);
  const refund = 'mutation ($id: ID!) { refundPaymentIntent(id: $id, input: { reason: "Early" }) { status } }';
  expect((await api.graphql(refund, { id: rows.held }, as)).status).toBe(409);
  expect(await database.auditEntry.count()).toBe(before);
});

test('payers, and calls that only request a payment, leave no entry', async () => {
  const app = await newTestApp(api.world, { name: 'Quiet', mode: 'TEST' });
  const rows = await makeTenantRows(database, app);
  const before = await database.auditEntry.count();
  for (const document of [
    'mutation { createPaymentIntent(input: { amount: "3" }) { id } }',
    'mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3" }] }) { id } }',
    `mutation { updateCustomer(id: "${rows.customer}", input: { name: "N" }) { id } }`,
    `mutation { startLinkCheckout(slug: "l-${rows.link}") { id } }`,
  ]) {
    const { errors } = await api.graphql(document, {}, { key: app.secretKey });
    expect(errors).toBeUndefined();
  }
  expect(await database.auditEntry.count()).toBe(before);
});

test('a login is recorded for the member who logs in, and failed attempts are not', async () => {
  const { merchantId } = await newTestApp(api.world, { name: 'Login', mode: 'TEST' });
  const email = 'ada@login.example';
  const member = await database.member.create({ data: { id: crypto.randomUUID(), merchantId, email, role: 'OWNER' } });
  const asked = await api.graphql(`mutation { requestLogin(input: { email: "${email}" }) { requestId } }`);
  const { requestId } = asked.data.requestLogin;
  const verify = (code: string) =>
    api.graphql(
      'mutation ($input: VerifyLoginInput!) { verifyLogin(input: $input) { accessToken } }',
      { input: { requestId, code } },
      { headers: FROM },
    );
  const code = await api.mailedCode(email);
  expect((await verify(code === '000000' ? '000001' : '000000')).status).toBe(401);
  const done = await verify(code);
  expect(await entriesOf(done.headers.get('x-request-id'))).toMatchObject([
    {
      action: 'member.logged_in',
      merchantId,
      actorKind: 'MEMBER',
      actorId: member.id,
      actorName: email,
      address: '2001:db8::7',
    },
  ]);
  expect(await database.auditEntry.count({ where: { merchantId } })).toBe(1);
});

test('an invitation of an existing member is recorded as a change of role, or not at all', async () => {
  const { owner, headers, document } = await prepareCall(api, 'inviteMember');
  const actions = async () => {
    const found = await database.auditEntry.findMany({
      where: { merchantId: owner.merchantId },
      orderBy: { id: 'asc' },
    });
    return found.map(({ action, before, after }) => ({ action, before, after }));
  };
  await api.graphql(document, {}, { headers });
  await api.graphql(document, {}, { headers });
  await api.graphql(document.replace('VIEWER', 'DEVELOPER'), {}, { headers });
  const email = expect.stringMatching(/^new-/);
  expect(await actions()).toEqual([
    { action: 'member.invited', before: null, after: { email, role: 'VIEWER' } },
    { action: 'member.role_changed', before: { email, role: 'VIEWER' }, after: { email, role: 'DEVELOPER' } },
  ]);
});

describe('the audit table', () => {
  test('is append-only: updates and deletions are rejected', async () => {
    const [entry] = await entries();
    expect(entry).toBeDefined();
    const { id } = entry ?? { id: '' };
    for (const change of [
      () => database.auditEntry.update({ where: { id }, data: { actorName: 'nobody' } }),
      () => database.auditEntry.deleteMany(),
      () => database.$executeRawUnsafe('TRUNCATE audit_entry'),
      () => database.$executeRawUnsafe("UPDATE audit_entry SET actor_name = 'nobody' WHERE false"),
      () =>
        database.$transaction([
          database.$executeRawUnsafe("SET LOCAL session_replication_role = 'replica'"),
          database.$executeRawUnsafe('DELETE FROM audit_entry'),
        ]),
    ]) {
      const message = await change().then(
        () => 'The change was accepted.',
        (error: Error) => error.message,
      );
      expect(message, message).toMatch(/append-only|permission denied to set parameter/);
    }
    expect(await database.auditEntry.findUnique({ where: { id } })).toEqual(entry);
  });
});
