/** Payments that standard clients sign, and their settlement by a facilitator, as a resource server requests it. */

import { setTimeout as delay } from 'node:timers/promises';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Payer } from '../../test/chaos/x402/payers.ts';
import { keyOf } from '../../test/chaos/x402/read-token.ts';

/** The facilitator that settles a payment. */
export type Facilitator = {
  name: string;
  /** The requirements of a resource server that uses it. */
  requirements(): Promise<PaymentRequirements>;
  settleUrl(): string;
  headers: Record<string, string>;
};

export type Signed = { payment: PaymentPayload; key: string };

/** The outcome for a caller: `unknown` if no response contained it within `patienceMs`. */
export type Answered = Signed & {
  outcome: 'settled' | 'failed' | 'unknown';
  reason: string;
  ms: number;
  /** Number of broken calls. */
  broken: number;
};

const LONGEST_TIMEOUT_SECONDS = 300;
const PAUSE_MS = 250;
const CALL_LIMIT_MS = 60_000;

const authorizationShape = z.object({ authorization: z.object({ from: z.string(), nonce: z.string() }) });
const answerShape = z.looseObject({ success: z.boolean(), errorReason: z.string().nullish() });

/** The requested number of payments, from the payers in turn. */
export async function signPayments(
  facilitator: Facilitator,
  { payers, count }: { payers: readonly Payer[]; count: number },
): Promise<Signed[]> {
  const accepts = [await facilitator.requirements()];
  const required = { x402Version: 2, resource: { url: RESOURCE }, accepts };
  const clients = payers.map(({ privateKey }) =>
    new x402Client()
      .register('eip155:*', new ExactEvmScheme(privateKeyToAccount(privateKey)))
      .setSpendControls({ allowedAssets: true }),
  );
  const signed: Signed[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = clients[index % clients.length] as x402Client;
    const payment = await client.createPaymentPayload(required);
    const { from: payer, nonce } = authorizationShape.parse(payment.payload).authorization;
    signed.push({ payment, key: keyOf({ payer, nonce }) });
  }
  return signed;
}

export const RESOURCE = 'http://forecasts.example/bench';

/** The fields that every requirement of the bench has. */
export function requirementsOf(of: { network: `eip155:${number}`; asset: string; payTo: string }): PaymentRequirements {
  const { network, asset, payTo } = of;
  const extra = { name: 'USD Coin', version: '2' };
  return { scheme: 'exact', network, asset, amount: '10000', payTo, maxTimeoutSeconds: LONGEST_TIMEOUT_SECONDS, extra };
}

/** The requirements that the gateway quotes. */
export async function quote(gateway: { url: string; key: string; network: string }): Promise<PaymentRequirements> {
  const body = {
    price: '0.01',
    currency: 'USD',
    resource: { url: RESOURCE },
    schemes: ['exact'],
    networks: [gateway.network],
    maxTimeoutSeconds: LONGEST_TIMEOUT_SECONDS,
  };
  const response = await fetch(`${gateway.url}/x402/requirements`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.key },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const shape = z.looseObject({ accepts: z.array(z.custom<PaymentRequirements>()) });
  const parsed = z.union([shape, z.object({ data: shape }).transform(({ data }) => data)]).safeParse(JSON.parse(text));
  const [first] = parsed.data?.accepts ?? [];
  if (!first) throw new Error(`The gateway quotes nothing: ${response.status} ${text}`);
  return first;
}

/**
 * Settles the payments with this number of concurrent callers. A caller repeats pending or unanswered calls until `patienceMs` after its
 * first one.
 */
export async function settleAll(
  facilitator: Facilitator,
  request: { signed: readonly Signed[]; callers: number; patienceMs: number; onAnswer?: (answered: number) => void },
): Promise<{ answers: Answered[]; tookMs: number }> {
  const { signed, callers, patienceMs, onAnswer } = request;
  const answers: Answered[] = [];
  const waiting = [...signed];
  const since = performance.now();
  const caller = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      answers.push(await settleOne(facilitator, next, patienceMs));
      onAnswer?.(answers.length);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { answers, tookMs: performance.now() - since };
}

async function settleOne(facilitator: Facilitator, signed: Signed, patienceMs: number): Promise<Answered> {
  const since = performance.now();
  const { payment } = signed;
  const body = JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted });
  let broken = 0;
  const done = (outcome: Answered['outcome'], reason: string): Answered => ({
    ...signed,
    outcome,
    reason,
    ms: performance.now() - since,
    broken,
  });
  for (;;) {
    let reason = 'no answer';
    try {
      const response = await fetch(facilitator.settleUrl(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...facilitator.headers },
        body,
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
      });
      const answer = answerShape.safeParse(await response.json());
      if (answer.data?.success) return done('settled', '');
      reason = answer.data?.errorReason ?? `status ${response.status}`;
      // A server that is busy has not evaluated the payment.
      if (response.status < 500 && reason !== 'settlement_pending') return done('failed', reason);
    } catch {
      broken += 1;
    }
    if (performance.now() - since > patienceMs) return done('unknown', reason);
    await delay(PAUSE_MS);
  }
}
