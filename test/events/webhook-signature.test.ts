import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { nextTryAt, wants } from '../../src/events/webhooks/webhook-endpoint.ts';
import { newWebhookSecret, signatureHeaders } from '../../src/events/webhooks/webhook-signature.ts';

describe("a webhook's signature", () => {
  const body = JSON.stringify({ type: 'payment_intent.captured', data: { id: 'x' } });
  const sign = (secrets: string[], sentAt = new Date()) => signatureHeaders({ id: 'msg_1', sentAt, body, secrets });

  it('is accepted by the reference library', () => {
    const secret = newWebhookSecret();
    expect(new Webhook(secret).verify(body, sign([secret]))).toEqual(JSON.parse(body));
  });

  it('is valid under both the old and the new secret during a rotation', () => {
    const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
    const headers = sign([fresh, old]);
    expect(new Webhook(old).verify(body, headers)).toBeTruthy();
    expect(new Webhook(fresh).verify(body, headers)).toBeTruthy();
  });

  it('is rejected with another secret, for another body, and when it is old', () => {
    const secret = newWebhookSecret();
    expect(() => new Webhook(newWebhookSecret()).verify(body, sign([secret]))).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, sign([secret]))).toThrow();
    expect(() => new Webhook(secret).verify(body, sign([secret], new Date(Date.now() - 600_000)))).toThrow();
  });
});

describe('the retry schedule', () => {
  it('is the documented one and ends', () => {
    const first = new Date('2027-01-01T00:00:00Z');
    const hours = Array.from({ length: 11 }, (_, attempts) => nextTryAt(first, attempts)).map(
      (at) => at && (at.getTime() - first.getTime()) / 1000,
    );
    expect(hours).toEqual([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
  });
});

describe("an endpoint's filter", () => {
  it('accepts the listed types, or all', () => {
    expect(wants({ events: ['invoice.paid'] }, 'invoice.paid')).toBe(true);
    expect(wants({ events: ['invoice.paid'] }, 'invoice.voided')).toBe(false);
    expect(wants({ events: ['*'] }, 'invoice.voided')).toBe(true);
  });
});
