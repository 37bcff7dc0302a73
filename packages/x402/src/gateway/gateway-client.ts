/**
 * The three calls of the gateway that a resource server needs. Requirements and verifications are requested once more if there is no
 * response; a settlement is requested until it has an outcome, which is safe because the gateway charges a payment only once. The gateway
 * reports a success as not `replayed` to one attempt, however often that attempt repeats the call, so a lost response can be requested
 * again.
 */
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types';
import { X402GatewayError } from './gateway-error.ts';

export type RequirementsRequest = {
  price: string;
  currency: string;
  resource: { url: string; description?: string; mimeType?: string };
  schemes?: string[];
  networks?: string[];
  maxTimeoutSeconds?: number;
};

export type Requirements = {
  accepts: PaymentRequirements[];
  /** Milliseconds for which the requirements may be offered, counted by the gateway's clock. */
  validForMs: number;
};

/** `replayed`: this success has been reported to another attempt, which has served a response for it. */
export type Settlement = SettleResponse & { retryable?: boolean; replayed?: boolean; paymentIntentId?: string };

export type GatewayClient = {
  requirements(request: RequirementsRequest): Promise<Requirements>;
  verify(payment: PaymentPayload): Promise<VerifyResponse>;
  /**
   * Resolves to the outcome, or to `settlement_pending` if it is not known in time. A refusal is not an outcome while a call of the same
   * attempt that had no response may still settle the payment.
   */
  settle(payment: PaymentPayload, attempt: SettleAttempt): Promise<Settlement>;
};

/** `isRepeated`: an earlier call with this ID did not return an outcome. */
export type SettleAttempt = { attemptId: string; isRepeated: boolean };

export type GatewayOptions = {
  apiUrl: string;
  secretKey: string;
  fetch: typeof fetch;
  /** For one attempt of a call that does not settle. */
  timeoutMs: number;
  /** For a settlement, all attempts together. */
  settleTimeoutMs: number;
};

const LARGEST_ANSWER_BYTES = 1_048_576;
const BETWEEN_ATTEMPTS_MS = 500;
const PENDING = 'settlement_pending';
/** For clocks that differ, and for blocks that are replaced. */
const AFTER_END_MS = 60_000;

export function openGateway(options: GatewayOptions): GatewayClient {
  return {
    requirements: async (request) => {
      const answer = await twice(() => post(options, '/x402/requirements', request, options.timeoutMs));
      return readRequirements(answer);
    },
    verify: async (payment) => {
      const answer = await twice(() => post(options, '/x402/verify', requestOf(payment), options.timeoutMs));
      if (typeof answer.body.isValid !== 'boolean') throw unexpected('/x402/verify');
      return withoutNulls(answer.body) as VerifyResponse;
    },
    settle: (payment, attempt) => settle(options, payment, attempt),
  };
}

type Answer = { body: Record<string, unknown>; headers: Headers };

function requestOf(payment: PaymentPayload) {
  return { x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted };
}

async function settle(
  options: GatewayOptions,
  payment: PaymentPayload,
  { attemptId, isRepeated }: SettleAttempt,
): Promise<Settlement> {
  const request = { ...requestOf(payment), attemptId };
  const endsAt = performance.now() + options.settleTimeoutMs;
  let mayBeTaken = isRepeated;
  for (;;) {
    const remainingMs = endsAt - performance.now();
    const outcome = await settleOnce(options, request, Math.max(1_000, remainingMs)).catch((error: unknown) => {
      if (!(error instanceof X402GatewayError && error.isAway)) throw error;
      return error;
    });
    const isFault = outcome instanceof X402GatewayError;
    if (isFault) mayBeTaken ||= isLost(outcome);
    const isOpen = !isFault && (isPending(outcome) || (mayBeTaken && mayStillSettle(outcome, payment)));
    if (!isFault && !isOpen) return outcome;
    if (endsAt - performance.now() <= BETWEEN_ATTEMPTS_MS) {
      if (isFault) throw outcome;
      return { ...outcome, errorReason: PENDING };
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_ATTEMPTS_MS));
  }
}

async function settleOnce(options: GatewayOptions, request: object, timeoutMs: number): Promise<Settlement> {
  const { body } = await post(options, '/x402/settle', request, timeoutMs);
  if (typeof body.success !== 'boolean') throw unexpected('/x402/settle');
  return withoutNulls(body) as Settlement;
}

/** Whether the gateway may still be handling the call. An error with a code is its own, so that call has ended. */
function isLost({ status, code }: X402GatewayError): boolean {
  return code === undefined && status !== 429;
}

/** A payment that was taken has an intent. Until its authorization has ended, an earlier call may take one that this call refused. */
function mayStillSettle({ success, paymentIntentId }: Settlement, { payload }: PaymentPayload): boolean {
  if (success || paymentIntentId !== undefined) return false;
  const { validBefore } = (payload.authorization ?? {}) as { validBefore?: unknown };
  return Date.now() <= Number(validBefore) * 1_000 + AFTER_END_MS;
}

/** The gateway sends absent fields as null, which the types of x402 do not have. */
function withoutNulls(body: Record<string, unknown>): unknown {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

export function isPending(settlement: Settlement): boolean {
  return !settlement.success && settlement.errorReason === PENDING;
}

function readRequirements({ body, headers }: Answer): Requirements {
  const { accepts, expiresAt } = body;
  if (!Array.isArray(accepts) || typeof expiresAt !== 'string') throw unexpected('/x402/requirements');
  const sentAt = Date.parse(headers.get('date') ?? '');
  const now = Number.isNaN(sentAt) ? Date.now() : sentAt;
  return { accepts: accepts as PaymentRequirements[], validForMs: Math.max(0, Date.parse(expiresAt) - now) };
}

async function twice<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof X402GatewayError && error.isAway)) throw error;
    return call();
  }
}

async function post(options: GatewayOptions, path: string, body: unknown, timeoutMs: number): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await options.fetch(`${options.apiUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': options.secretKey },
      body: JSON.stringify(body),
      // A redirect would carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    });
    text = await response.text();
  } catch (cause) {
    throw new X402GatewayError(`The gateway did not respond to POST ${path}.`, { isAway: true, cause });
  }
  if (text.length > LARGEST_ANSWER_BYTES) throw unexpected(path);
  const json = parse(text);
  if (!response.ok || json === undefined) throw refusal(path, response, json);
  return { body: unwrap(json), headers: response.headers };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the REST envelope, `{ success, data }`, if a route has one. */
function unwrap(json: Record<string, unknown>): Record<string, unknown> {
  return json.success === true && typeof json.data === 'object' && json.data !== null
    ? (json.data as Record<string, unknown>)
    : json;
}

function refusal(path: string, response: Response, json: Record<string, unknown> | undefined): X402GatewayError {
  const error = json?.error as { code?: string; message?: string } | undefined;
  const { status } = response;
  const isAway = status === 429 || status >= 500 || (response.ok && json === undefined);
  const reason = error?.message ?? `status ${status}`;
  return new X402GatewayError(`The gateway refused POST ${path}: ${reason}`, {
    isAway,
    status,
    ...(typeof error?.code === 'string' ? { code: error.code } : {}),
  });
}

function unexpected(path: string): X402GatewayError {
  return new X402GatewayError(`The gateway's response to POST ${path} does not have the expected format.`, {
    isAway: true,
  });
}
