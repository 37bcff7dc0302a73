/**
 * Signatures of webhooks according to Standard Webhooks. They are computed with WebCrypto, so that this works on every platform.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { SluiceError } from './errors.ts';
import type { SluiceEvent } from './generated/types.ts';

/** Why a webhook was rejected: it was not signed by the gateway, or its timestamp is out of range. Respond with 400. */
export type WebhookFault =
  | 'MISSING_HEADER'
  | 'INVALID_TIMESTAMP'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'WRONG_SIGNATURE'
  | 'INVALID_BODY';

export class WebhookVerificationError extends SluiceError {
  override readonly name = 'WebhookVerificationError';
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message, { retryable: false });
    this.fault = fault;
  }
}

export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export type Webhook = {
  /** The raw body, before it is parsed. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** The secret of the endpoint (`whsec_…`), or several while you rotate it in your own configuration. */
  secret: string | readonly string[];
  /** Maximum difference between the timestamp and the local clock, in either direction. Defaults to 300 s. */
  toleranceSeconds?: number;
};

/** The event that `test-ping` sends. It is signed like other events, but is not part of the sequence. */
export type WebhookPing = { id: string; type: 'webhook.ping'; timestamp: string; appId: string; data: unknown };

export type Webhooks = {
  /**
   * Verifies the signature and the timestamp, and resolves to the event. Rejects with a `WebhookVerificationError`.
   *
   * One valid signature is sufficient, because the gateway signs with the old and the new secret during a rotation.
   *
   * @example
   * ```ts
   * const event = await sluice.webhooks.verify({ body, headers, secret });
   * if (event.type === 'payment_intent.captured') console.log(event.data.id);
   * ```
   */
  verify(webhook: Webhook): Promise<SluiceEvent | WebhookPing>;
  /**
   * Signs a body as the gateway does, for the tests of a receiver.
   *
   * @example
   * ```ts
   * const signed = await sluice.webhooks.sign({ id: 'msg_1', body, secret });
   * ```
   */
  sign(message: { id: string; body: string; secret: string; timestamp?: Date }): Promise<Record<string, string>>;
};

const TOLERANCE_SECONDS = 300;
/** There are two signatures while a secret is being rotated. */
const MOST_SIGNATURES = 10;

export const webhooks: Webhooks = {
  async verify({ body, headers, secret, toleranceSeconds = TOLERANCE_SECONDS }) {
    const id = headerOf(headers, 'webhook-id');
    const timestamp = headerOf(headers, 'webhook-timestamp');
    const signatures = headerOf(headers, 'webhook-signature')
      .split(' ')
      .filter((one) => one.startsWith('v1,'))
      .slice(0, MOST_SIGNATURES);
    refuseStale(timestamp, toleranceSeconds);
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
    const secrets = typeof secret === 'string' ? [secret] : secret;
    // All are verified, so that the duration does not reveal which one matches. The platform compares in constant time.
    let isGenuine = false;
    for (const one of secrets) {
      const key = await importSecret(one, ['verify']);
      for (const signature of signatures) {
        const given = decodeBase64(signature.slice('v1,'.length));
        if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) isGenuine = true;
      }
    }
    if (!isGenuine) {
      const hint = 'Check that this is the endpoint’s secret, and that nothing parses the body before it is verified.';
      throw new WebhookVerificationError('WRONG_SIGNATURE', `No signature of the webhook matches the secret. ${hint}`);
    }
    return parseEvent(bytes);
  },
  async sign({ id, body, secret, timestamp = new Date() }) {
    const seconds = String(Math.floor(timestamp.getTime() / 1000));
    const key = await importSecret(secret, ['sign']);
    const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
    return {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
    };
  },
};

function headerOf(headers: WebhookHeaders, name: string): string {
  const given = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name);
  if (given === undefined || given === null || given === '') {
    throw new WebhookVerificationError('MISSING_HEADER', `The header ${name} is missing.`);
  }
  return given;
}

function plainHeader(headers: Record<string, string | readonly string[] | undefined>, name: string) {
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return typeof value === 'object' ? value[0] : value;
}

function refuseStale(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('INVALID_TIMESTAMP', 'The header webhook-timestamp is not a number of seconds.');
  }
  const age = Date.now() / 1000 - Number(timestamp);
  if (age > toleranceSeconds) {
    throw new WebhookVerificationError('TIMESTAMP_TOO_OLD', `The webhook was sent ${Math.round(age)} s ago.`);
  }
  if (age < -toleranceSeconds) {
    throw new WebhookVerificationError('TIMESTAMP_TOO_NEW', `The webhook is dated ${Math.round(-age)} s ahead.`);
  }
}

async function importSecret(secret: string, usages: ('sign' | 'verify')[]): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) {
    throw new SluiceError('The webhook secret is invalid: it must be whsec_ followed by base64.', {
      retryable: false,
    });
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, usages);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** The signature proves that the body is the gateway's, so its shape is not checked further. */
function parseEvent(bytes: Uint8Array): SluiceEvent | WebhookPing {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookVerificationError('INVALID_BODY', 'The body is not JSON.');
  }
}
