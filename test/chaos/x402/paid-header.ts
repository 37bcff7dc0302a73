/** A signed payment header, and the outcome of every request with it. */

import { setTimeout as delay } from 'node:timers/promises';
import { decodePaymentResponseHeader, decodePaymentSignatureHeader } from '@x402/core/http';
import type { Address, Hex } from 'viem';
import { z } from 'zod';

export type PaidHeader = {
  value: string;
  route: string;
  payer: Address;
  nonce: Hex;
  /** Base units. */
  amount: bigint;
  /** The number of requests with the header that received a final response. */
  presented: number;
  /** The number of responses that the header bought. */
  served: number;
  /** The transactions of the receipts. */
  receipts: string[];
  /** The reasons of final rejections. */
  refusals: string[];
  /** The number of responses that requested a retry, by reason. */
  repeated: Map<string, number>;
};

const authorizationShape = z.object({
  authorization: z.object({
    from: z.templateLiteral(['0x', z.string()]),
    nonce: z.templateLiteral(['0x', z.string()]),
    value: z.string().transform(BigInt),
  }),
});
const refusalShape = z.looseObject({ error: z.string() });
const ANSWER_LIMIT_MS = 100_000;
const PAUSE_MS = 1_000;

export function readHeader(value: string, route: string): PaidHeader {
  const { authorization } = authorizationShape.parse(decodePaymentSignatureHeader(value).payload);
  const { from: payer, nonce, value: amount } = authorization;
  const nothing = { presented: 0, served: 0, receipts: [], refusals: [], repeated: new Map<string, number>() };
  return { value, route, payer, nonce, amount, ...nothing };
}

/** Presents the header repeatedly while its outcome is unknown, and records the final response. */
export async function present(header: PaidHeader, world: { origin: string; isOver: () => boolean }): Promise<Response> {
  const headers = { 'payment-signature': header.value };
  const response = await untilFinal(`${world.origin}${header.route}`, { headers, repeated: header.repeated, ...world });
  header.presented += 1;
  if (response.status === 200) {
    header.served += 1;
    header.receipts.push(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '').transaction);
  } else {
    header.refusals.push(await reasonOf(response.clone()));
  }
  return response;
}

/** Repeats a request while the connection breaks or the response requests a retry. */
export async function untilFinal(
  url: string,
  request: { headers?: Record<string, string>; repeated: Map<string, number>; isOver: () => boolean },
): Promise<Response> {
  const { headers = {}, repeated, isOver } = request;
  const note = (reason: string) => repeated.set(reason, (repeated.get(reason) ?? 0) + 1);
  for (;;) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).catch(() => undefined);
    if (response?.status === 503 || response?.status === 409) note(await reasonOf(response.clone()));
    else if (response) return response;
    else note('no answer');
    if (isOver()) return response ?? Response.error();
    await response?.body?.cancel();
    await delay(PAUSE_MS);
  }
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    return refusalShape.parse(JSON.parse(text)).error;
  } catch {
    return `status ${response.status}`;
  }
}
