import type { WebhookEndpoint } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { postJson } from '../../platform/outbound/post-json.ts';
import { PrivateAddressError } from '../../platform/outbound/public-address.ts';
import { signatureHeaders } from './webhook-signature.ts';

const TIMEOUT_MS = 15_000;
const KEPT_BYTES = 1024;

export type AttemptOutcome = {
  isDelivered: boolean;
  /** The receiver's status code; null if it did not respond. */
  responseStatus: number | null;
  /** The first KiB of the response body. */
  responseBody: string | null;
  /** Why there was no response. */
  error: string | null;
  /** 0 if the host has no public address. */
  latencyMs: number;
};

/** Posts one signed message to an endpoint and returns the outcome; never throws because of the receiver. */
export async function attemptDelivery(
  world: { clock: Clock; privateAddresses: boolean },
  message: { endpoint: WebhookEndpoint; messageId: string; body: string; requestId?: string | null },
): Promise<AttemptOutcome> {
  const { endpoint, messageId: id, body, requestId } = message;
  const sentAt = world.clock.now();
  const startedAt = performance.now();
  const isOverlapping =
    endpoint.previousSecret !== null &&
    endpoint.previousSecretExpiresAt !== null &&
    endpoint.previousSecretExpiresAt > sentAt;
  const secrets = [endpoint.secret, ...(isOverlapping && endpoint.previousSecret ? [endpoint.previousSecret] : [])];
  try {
    const answer = await postJson({
      url: endpoint.url,
      body,
      headers: {
        ...signatureHeaders({ id, sentAt, body, secrets }),
        'user-agent': 'Sluice',
        ...(requestId ? { 'x-request-id': requestId } : {}),
      },
      timeoutMs: TIMEOUT_MS,
      keptBytes: KEPT_BYTES,
      privateAddresses: world.privateAddresses,
    });
    return {
      isDelivered: answer.status >= 200 && answer.status < 300,
      responseStatus: answer.status,
      responseBody: answer.body.replaceAll('\u0000', ''),
      error: null,
      latencyMs: answer.latencyMs,
    };
  } catch (error) {
    // Nothing was sent, and the resolver's duration would reveal whether a private name exists.
    const latencyMs = error instanceof PrivateAddressError ? 0 : Math.round(performance.now() - startedAt);
    return { isDelivered: false, responseStatus: null, responseBody: null, error: describe(error), latencyMs };
  }
}

/** A sentence that a merchant can act on. It never reveals an address in the installation's network or whether a name in it exists. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'The request failed.';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `No answer within ${TIMEOUT_MS / 1000} s.`;
  if (error instanceof PrivateAddressError) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null ? 'The request failed.' : `The request failed: ${code}.`;
}
