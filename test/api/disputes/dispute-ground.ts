/** Disputes in the state that the projector would write, and credentials of every kind of caller. */
import type { DisputeStatus } from '../../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { payer, paymentEnvironment, paymentIn } from '../../setup/chains/payment-in.ts';
import { memberOf, payerOf, platformOf } from '../../setup/database/node-rows.ts';

export type Headers = Record<string, string>;

export const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-000000000000';

/** Files by their first bytes. */
export const pdf = (bytes = 64) => fileOf('%PDF-1.7\n', bytes);
export const png = (bytes = 64) => fileOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', bytes);
export const jpeg = (bytes = 64) => fileOf('\xff\xd8\xff\xe0', bytes);
export const webp = (bytes = 64) => fileOf('RIFF\0\0\0\0WEBPVP8 ', bytes);
export const gif = (bytes = 64) => fileOf('GIF89a', bytes);

export function fileOf(head: string, bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 0x20);
  file.write(head, 'latin1');
  return file;
}

export async function openDisputes() {
  const api = await openRestApi(paymentEnvironment);
  const { database, merchantA, merchantB } = api;

  async function sessionOf(paymentIntentId: string): Promise<string> {
    const id = newId();
    const secret = newClientSecret(id);
    await database.checkoutSession.create({
      data: {
        ...{ id, appId: merchantA.appId, clientSecretHash: hashClientSecret(secret), paymentIntentId },
        ...{ amount: '10.00', currency: 'USD', subtotal: '10.00', taxAmount: '0.00', status: 'COMPLETE' },
        expiresAt: new Date(Date.now() - 1_000),
      },
    });
    return secret;
  }

  async function disputeIn(status: DisputeStatus = 'OPEN', appId = merchantA.appId) {
    const intent = await paymentIn(api, { appId, status: 'CAPTURED' });
    await database.paymentIntent.update({
      where: { id: intent.id },
      data: {
        ...{ cryptoAmount: '10', cryptoTokenKey: 'USDC-31337', cryptoTokenDecimals: 6 },
        authorizationWalletAddress: payer.address,
      },
    });
    const dispute = await database.dispute.create({
      data: {
        ...{ id: newId(), paymentIntentId: intent.id, reason: 'Never came', evidence: 'I waited.', status },
        deadline: new Date(Date.now() + 30 * 86_400_000),
      },
    });
    return { id: dispute.id, intent, clientSecret: await sessionOf(intent.id) };
  }

  const member = async (role: 'OWNER' | 'DEVELOPER' | 'VIEWER') =>
    (await memberOf(api, merchantA.merchantId, role)).headers as Headers;
  const callers = {
    key: { 'x-api-key': merchantA.secretKey },
    publishable: { 'x-api-key': merchantA.publishableKey },
    stranger: { 'x-api-key': merchantB.secretKey },
    developer: await member('DEVELOPER'),
    viewer: await member('VIEWER'),
    wallet: (await payerOf(api, payer.address)).headers as Headers,
    arbiter: (await platformOf(api, 'ARBITER')).headers as Headers,
    operator: (await platformOf(api, 'OPERATOR')).headers as Headers,
  } satisfies Record<string, Headers>;
  return { ...api, callers, disputeIn, sessionOf, ...filesOf(api) };
}

/** Uploads and downloads, which are not JSON. */
function filesOf(api: RestApi) {
  return {
    async upload(
      disputeId: string,
      file: Uint8Array | ReadableStream,
      { headers = {}, name = 'a.pdf' }: { headers?: Headers; name?: string } = {},
    ) {
      const isStream = file instanceof ReadableStream;
      const response = await fetch(`${api.url}/disputes/${disputeId}/files?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers,
        body: isStream ? file : new Uint8Array(file),
        ...(isStream ? { duplex: 'half' } : {}),
      });
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the endpoint answers.
      const body: any = JSON.parse(text);
      return { status: response.status, code: body.error?.code, body, headers: response.headers };
    },
    download: (disputeId: string, fileId: string, headers: Headers, method = 'GET') =>
      fetch(`${api.url}/disputes/${disputeId}/files/${fileId}`, { method, headers }),
  };
}
