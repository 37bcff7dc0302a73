/** Verification of webhooks: deliveries of a running gateway, the reference library's signatures, and forgeries. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createSluice, type WebhookVerificationError, webhooks } from '../../packages/sdk/src/index.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';

const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;
const body = JSON.stringify({
  id: 'e1',
  type: 'payment_intent.captured',
  data: { id: 'p1', metadata: { name: 'Zoë' } },
});
const now = new Date();

const faultOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: WebhookVerificationError) => error.fault ?? error.message,
  );

function signedBy(withSecret: string, timestamp = now): Record<string, string> {
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
    'webhook-signature': new Webhook(withSecret).sign('e1', timestamp, body),
  };
}

describe('a delivery of the gateway', () => {
  it('is verified, also with the previous secret during a rotation', async () => {
    const api = await openRestApi({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
    const { appId, secretKey } = api.merchantA;
    const sluice = createSluice({ baseUrl: api.url, apiKey: secretKey });
    const receiver = await openReceiver();
    const endpoint = await sluice.webhookEndpoints.create(appId, { url: receiver.url, events: ['*'] });
    expect(await sluice.webhookEndpoints.ping(appId, endpoint.id)).toMatchObject({ delivered: true });
    const [plain] = receiver.received;
    if (!plain) throw new Error('Nothing was delivered.');
    const event = await sluice.webhooks.verify({ ...plain, secret: endpoint.secret });
    expect(event.type).toBe('webhook.ping');

    const { secret: fresh } = await sluice.webhookEndpoints.rotateSecret(appId, endpoint.id);
    await sluice.webhookEndpoints.ping(appId, endpoint.id);
    const rotated = receiver.received[1];
    if (!rotated) throw new Error('Nothing was delivered.');
    expect(rotated.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const one of [endpoint.secret, fresh, [secret, fresh]]) {
      expect((await sluice.webhooks.verify({ ...rotated, secret: one })).type).toBe('webhook.ping');
    }
    expect(await faultOf(sluice.webhooks.verify({ ...rotated, secret }))).toBe('WRONG_SIGNATURE');
  });
});

describe('a signature', () => {
  it('is compatible with the reference library in both directions', async () => {
    expect(await webhooks.verify({ body, headers: signedBy(secret), secret })).toEqual(JSON.parse(body));
    const own = await webhooks.sign({ id: 'e1', body, secret });
    expect(new Webhook(secret).verify(body, own)).toEqual(JSON.parse(body));
  });

  it('is read from any kind of headers, and verified for bytes and text', async () => {
    const headers = signedBy(secret);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const given of [new Headers(headers), upper]) {
      expect(await webhooks.verify({ body: new TextEncoder().encode(body), headers: given, secret })).toBeTruthy();
    }
  });

  it.each([
    ['another body', { body: body.replace('p1', 'p2') }, 'WRONG_SIGNATURE'],
    [
      'a body that was parsed and printed again',
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      'WRONG_SIGNATURE',
    ],
    ['another id', { headers: { ...signedBy(secret), 'webhook-id': 'e2' } }, 'WRONG_SIGNATURE'],
    ['another secret', { secret: `whsec_${Buffer.alloc(32).toString('base64')}` }, 'WRONG_SIGNATURE'],
    ['no secrets', { secret: [] }, 'WRONG_SIGNATURE'],
    ['an unknown version', { headers: { ...signedBy(secret), 'webhook-signature': 'v2,AAAA' } }, 'WRONG_SIGNATURE'],
    ['no base64', { headers: { ...signedBy(secret), 'webhook-signature': 'v1,%%%' } }, 'WRONG_SIGNATURE'],
    ['an empty signature', { headers: { ...signedBy(secret), 'webhook-signature': 'v1,' } }, 'WRONG_SIGNATURE'],
    ['no signature', { headers: { ...signedBy(secret), 'webhook-signature': '' } }, 'MISSING_HEADER'],
    ['no headers', { headers: {} }, 'MISSING_HEADER'],
    ['a timestamp in words', { headers: { ...signedBy(secret), 'webhook-timestamp': 'today' } }, 'INVALID_TIMESTAMP'],
    ['an old one', { headers: signedBy(secret, new Date(now.getTime() - 302_000)) }, 'TIMESTAMP_TOO_OLD'],
    ['one from the future', { headers: signedBy(secret, new Date(now.getTime() + 310_000)) }, 'TIMESTAMP_TOO_NEW'],
    ['a secret that is none', { secret: 'whsec_' }, expect.stringContaining('must be whsec_')],
  ])('is rejected for %s', async (_name, change, fault) => {
    expect(await faultOf(webhooks.verify({ body, headers: signedBy(secret), secret, ...change }))).toEqual(fault);
  });

  it('may be as old as the caller’s tolerance', async () => {
    const headers = signedBy(secret, new Date(now.getTime() - 60_000));
    expect(await faultOf(webhooks.verify({ body, headers, secret, toleranceSeconds: 30 }))).toBe('TIMESTAMP_TOO_OLD');
    expect(await faultOf(webhooks.verify({ body, headers, secret, toleranceSeconds: 90 }))).toBeUndefined();
  });
});
