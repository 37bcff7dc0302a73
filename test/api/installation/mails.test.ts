/** The settings of mails and retries over the API: outcomes, tenancy, roles and restricted keys. */
import { expect, test } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { inviteMember } from '../../../src/auth/members/invite-member.ts';
import type { MemberRole } from '../../../src/auth/members/member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { merchantA, merchantB, database } = api;
const key = { key: merchantA.secretKey };

async function member(role: MemberRole, { isOperator = false } = {}) {
  const email = `${role.toLowerCase()}-${newId()}@example.com`;
  const { id: memberId } = await inviteMember(api.world, { merchantId: merchantA.merchantId, email, role });
  await database.member.update({ where: { id: memberId }, data: { isOperator } });
  const [sessionId, createdAt] = [newId(), api.world.clock.now()];
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  const { token } = await issueToken(api.world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { memberId, as: { headers: { authorization: `Bearer ${token}` } } };
}

const SETTINGS =
  'query ($appId: ID) { mailSettings(appId: $appId) { appId kinds fromName replyTo language reminderDays } }';
const UPDATE = `mutation ($appId: ID, $input: UpdateMailSettingsInput!) {
  updateMailSettings(appId: $appId, input: $input) { kinds fromName replyTo language reminderDays } }`;
const codeOf = ({ errors }: Awaited<ReturnType<typeof api.graphql>>) => errors?.[0]?.extensions.code ?? 'done';
const paramsOf = ({ errors }: Awaited<ReturnType<typeof api.graphql>>) =>
  errors?.[0]?.extensions.details?.map(({ param }) => param).sort();

test('an app sends no mails to payers by default', async () => {
  const { data } = await api.graphql(SETTINGS, {}, key);
  expect(data.mailSettings).toEqual({
    appId: merchantA.appId,
    kinds: [],
    fromName: null,
    replyTo: null,
    language: 'en',
    reminderDays: 3,
  });
});

test('settings are updated field by field, returned and audited', async () => {
  const input = { kinds: ['REFUND', 'RECEIPT', 'RECEIPT'], fromName: 'Tea House', replyTo: 'help@example.com' };
  const first = await api.graphql(UPDATE, { input }, key);
  expect(first.data.updateMailSettings).toMatchObject({ ...input, kinds: ['RECEIPT', 'REFUND'], language: 'en' });
  const second = await api.graphql(UPDATE, { input: { language: 'de', replyTo: null, reminderDays: 7 } }, key);
  expect(second.data.updateMailSettings).toEqual({
    kinds: ['RECEIPT', 'REFUND'],
    fromName: 'Tea House',
    replyTo: null,
    language: 'de',
    reminderDays: 7,
  });
  expect((await api.graphql(SETTINGS, {}, key)).data.mailSettings).toMatchObject(second.data.updateMailSettings);
  const entry = await database.auditEntry.findFirst({
    where: { action: 'mail_settings.updated' },
    orderBy: { id: 'desc' },
  });
  expect(entry?.after).toMatchObject({ language: 'de', reminderDays: 7 });
});

test('invalid settings are refused with every field named, and nothing is changed', async () => {
  const input = { kinds: ['RECEIPT'], fromName: 'a\nb', replyTo: 'nobody', reminderDays: 31 };
  const answer = await api.graphql(UPDATE, { input }, key);
  expect([codeOf(answer), paramsOf(answer)]).toEqual(['VALIDATION_ERROR', ['fromName', 'reminderDays', 'replyTo']]);
  expect((await api.graphql(SETTINGS, {}, key)).data.mailSettings.reminderDays).toBe(7);
});

test('only callers with permission change settings, and only those of their own app', async () => {
  const input = { kinds: [] };
  const { appId } = merchantB;
  const viewer = await member('VIEWER');
  const developer = await member('DEVELOPER');
  const own = { appId: merchantA.appId, input };
  expect(codeOf(await api.graphql(UPDATE, { input }))).toBe('AUTHENTICATION_ERROR');
  expect(codeOf(await api.graphql(SETTINGS, {}))).toBe('AUTHENTICATION_ERROR');
  expect(codeOf(await api.graphql(UPDATE, { input }, { key: merchantA.publishableKey }))).toBe('AUTHORIZATION_ERROR');
  expect(codeOf(await api.graphql(UPDATE, own, viewer.as))).toBe('AUTHORIZATION_ERROR');
  expect(codeOf(await api.graphql(SETTINGS, { appId: merchantA.appId }, viewer.as))).toBe('done');
  expect(codeOf(await api.graphql(UPDATE, own, developer.as))).toBe('done');
  for (const other of [appId, newId()]) {
    expect(codeOf(await api.graphql(UPDATE, { appId: other, input }, developer.as))).toBe('AUTHORIZATION_ERROR');
    expect(codeOf(await api.graphql(SETTINGS, { appId: other }, key))).toBe('AUTHORIZATION_ERROR');
  }
  expect(codeOf(await api.graphql(UPDATE, { input }, developer.as))).toBe('VALIDATION_ERROR');
});

test('a restricted key requires the scope SETTINGS', async () => {
  const restricted = async (scopes: ('READ' | 'SETTINGS')[]) => {
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const made = await createApiKey(api.world, { scope, kind: 'SECRET', name: null, scopes });
    return { key: made.secret };
  };
  expect(codeOf(await api.graphql(UPDATE, { input: {} }, await restricted(['READ'])))).toBe('AUTHORIZATION_ERROR');
  expect(codeOf(await api.graphql(UPDATE, { input: {} }, await restricted(['SETTINGS'])))).toBe('done');
  expect(codeOf(await api.graphql(SETTINGS, {}, await restricted(['READ'])))).toBe('done');
});

const NOTIFICATIONS = '{ notificationSettings { kinds availableKinds language } }';
const NOTIFY = `mutation ($input: UpdateNotificationSettingsInput!) {
  updateNotificationSettings(input: $input) { kinds language } }`;

test('every member, including a viewer, chooses the own notifications', async () => {
  const [viewer, owner] = [await member('VIEWER'), await member('OWNER', { isOperator: true })];
  expect((await api.graphql(NOTIFICATIONS, {}, viewer.as)).data.notificationSettings).toEqual({
    kinds: [],
    availableKinds: ['PAYMENT', 'DISPUTE', 'RENEWAL_FAILED', 'WEBHOOK_DISABLED'],
    language: 'en',
  });
  const input = { kinds: ['DISPUTE', 'PAYMENT'], language: 'de' };
  const { data } = await api.graphql(NOTIFY, { input }, viewer.as);
  expect(data.updateNotificationSettings).toEqual({ kinds: ['PAYMENT', 'DISPUTE'], language: 'de' });
  expect((await api.graphql(NOTIFY, { input: {} }, viewer.as)).data.updateNotificationSettings).toEqual(
    data.updateNotificationSettings,
  );
  const own = (await api.graphql(NOTIFICATIONS, {}, owner.as)).data.notificationSettings;
  expect([own.kinds, own.availableKinds.at(-1)]).toEqual([[], 'LOW_BALANCE']);
});

test('only members have notifications', async () => {
  expect(codeOf(await api.graphql(NOTIFICATIONS))).toBe('AUTHENTICATION_ERROR');
  expect(codeOf(await api.graphql(NOTIFICATIONS, {}, key))).toBe('AUTHORIZATION_ERROR');
  expect(codeOf(await api.graphql(NOTIFY, { input: {} }, key))).toBe('AUTHORIZATION_ERROR');
});

test('mails are listed newest first, only to their merchant', async () => {
  const make = (appId: string, status: 'SENT' | 'FAILED', error: string | null = null) =>
    database.mail.create({
      data: {
        id: newId(),
        appId,
        source: newId(),
        kind: 'RECEIPT',
        recipient: 'a@example.com',
        language: 'en',
        status,
        error,
      },
    });
  const sent = await make(merchantA.appId, 'SENT');
  const failed = await make(merchantA.appId, 'FAILED', 'RECIPIENT_REJECTED');
  await make(merchantB.appId, 'SENT');
  const MAILS = `query ($appId: ID, $status: MailStatus, $first: Int! = 20) {
    mails(appId: $appId, status: $status, first: $first) { id kind status error recipient } }`;
  const ids = async (variables: object, caller: object = key) =>
    (await api.graphql(MAILS, { ...variables }, caller)).data?.mails.map((mail: { id: string }) => mail.id);
  expect(await ids({})).toEqual([failed.id, sent.id]);
  expect(await ids({ status: 'FAILED' })).toEqual([failed.id]);
  expect(await ids({ first: 1 })).toEqual([failed.id]);
  const errors = async () =>
    (await api.graphql(MAILS, {}, key)).data.mails.map((mail: { error: string | null }) => mail.error);
  expect(await errors()).toEqual(['RECIPIENT_REJECTED', null]);
  // Written by a worker of the previous version during an upgrade.
  await database.mail.update({ where: { id: failed.id }, data: { error: '550 No such mailbox a@example.com' } });
  expect(await errors()).toEqual(['UNKNOWN', null]);
  expect(await ids({ appId: merchantA.appId }, (await member('VIEWER')).as)).toEqual([failed.id, sent.id]);
  for (const variables of [{ first: 101 }, { first: 0 }]) {
    expect(codeOf(await api.graphql(MAILS, variables, key))).toBe('VALIDATION_ERROR');
  }
  expect(codeOf(await api.graphql(MAILS, { appId: merchantB.appId }, key))).toBe('AUTHORIZATION_ERROR');
  expect(codeOf(await api.graphql(MAILS))).toBe('AUTHENTICATION_ERROR');
});

test('a preview has the branding of the app', async () => {
  await database.app.update({ where: { id: merchantA.appId }, data: { name: 'Tea & <b>', accentColor: '#0a7b5f' } });
  const PREVIEW =
    'query ($kind: MailKind!, $language: MailLanguage) { mailPreview(kind: $kind, language: $language) { subject html text } }';
  const { data } = await api.graphql(PREVIEW, { kind: 'RECEIPT', language: 'de' }, key);
  expect(data.mailPreview.subject).toBe('Ihr Zahlungsbeleg von Tea & <b>');
  expect(data.mailPreview.html).toContain('Tea &amp; &lt;b&gt;');
  expect(data.mailPreview.html).toContain('#0a7b5f');
  expect(data.mailPreview.text).toContain('12,50');
  expect(codeOf(await api.graphql(PREVIEW, { kind: 'RECEIPT' }))).toBe('AUTHENTICATION_ERROR');
});

test('the page of a preview is read-only and requires its token', async () => {
  const PREVIEW = 'query { mailPreview(kind: RECEIPT) { url } }';
  const answer = await api.graphql(PREVIEW, {}, key);
  const { pathname, search } = new URL(answer.data.mailPreview.url, api.url);
  const ask = (init: RequestInit = {}, query = search) => fetch(`${api.url}${pathname}${query}`, init);
  expect((await ask()).status).toBe(200);
  expect((await ask({}, '?token=other')).status).toBe(404);
  const posted = await ask({ method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await posted.text()).toContain('This address takes GET.');
});

const RETRY = 'query { app { subscriptionGraceDays renewalRetry { steps isDefault graceDays atEnd } } }';
const SET_RETRY = `mutation ($input: UpdateAppInput!) {
  updateApp(input: $input) { subscriptionGraceDays renewalRetry { steps isDefault graceDays atEnd } } }`;

test('retry rules have the documented defaults, are updated and are restored', async () => {
  const usual = { steps: [1, 6, 24, 72], isDefault: true, graceDays: 14, atEnd: 'CANCEL' };
  expect((await api.graphql(RETRY, {}, key)).data.app).toEqual({ subscriptionGraceDays: 14, renewalRetry: usual });
  const renewalRetry = { steps: [2, 48, 1440], graceDays: 30, atEnd: 'PAUSE' };
  const changed = await api.graphql(SET_RETRY, { input: { renewalRetry } }, key);
  expect(changed.data.updateApp).toEqual({
    subscriptionGraceDays: 30,
    renewalRetry: { ...renewalRetry, isDefault: false },
  });
  const some = await api.graphql(SET_RETRY, { input: { renewalRetry: { atEnd: 'LEAVE_PAST_DUE' } } }, key);
  expect(some.data.updateApp.renewalRetry).toEqual({ ...renewalRetry, isDefault: false, atEnd: 'LEAVE_PAST_DUE' });
  const restored = { steps: null, graceDays: 14, atEnd: 'CANCEL' };
  const back = await api.graphql(SET_RETRY, { input: { renewalRetry: restored } }, key);
  expect(back.data.updateApp.renewalRetry).toEqual(usual);
});

test.each([
  ['no steps', { steps: [] }, 'renewalRetry.steps'],
  ['steps that do not ascend', { steps: [5, 5] }, 'renewalRetry.steps'],
  ['more than 10', { steps: Array.from({ length: 11 }, (_, index) => index + 1) }, 'renewalRetry.steps'],
  ['a step of 0 hours', { steps: [0] }, 'renewalRetry.steps[0]'],
  ['a step after 60 days', { steps: [1, 1441] }, 'renewalRetry.steps[1]'],
  ['a grace of more than a year', { graceDays: 366 }, 'renewalRetry.graceDays'],
])('retry rules with %s are refused', async (_what, renewalRetry, param) => {
  const answer = await api.graphql(SET_RETRY, { input: { renewalRetry } }, key);
  expect([codeOf(answer), paramsOf(answer)]).toEqual(['VALIDATION_ERROR', [param]]);
});

test('the grace period can be set by only one field', async () => {
  const input = { subscriptionGraceDays: 3, renewalRetry: { graceDays: 4 } };
  expect(codeOf(await api.graphql(SET_RETRY, { input }, key))).toBe('VALIDATION_ERROR');
});

test('a customer has a locale over REST, which is en, de or null', async () => {
  const body = { appId: merchantA.appId, email: 'ada@example.com', locale: 'de' };
  const made = await api.rest('POST', '/customers', { ...key, body });
  expect(made.body.data.locale).toBe('de');
  const { id } = made.body.data;
  expect((await api.rest('PUT', `/customers/${id}`, { ...key, body: { name: 'Ada' } })).body.data.locale).toBe('de');
  expect((await api.rest('PUT', `/customers/${id}`, { ...key, body: { locale: null } })).body.data.locale).toBeNull();
  const wrong = await api.rest('PUT', `/customers/${id}`, { ...key, body: { locale: 'fr' } });
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'locale']);
});
