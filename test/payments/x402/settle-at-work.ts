import { expect } from 'vitest';
import type { SettleAnswer } from '../../../src/payments/x402/x402-types.ts';
import type { Gateway } from '../../setup/gateway/gateway.ts';

/** Longer than any load delays it. */
const patience = { timeout: 60_000 };

type Body = { paymentPayload: { payload: { authorization: { nonce: string } } } };

/** Whether the authorization of a request was accepted. */
async function isTaken({ database }: Pick<Gateway, 'database'>, body: object): Promise<boolean> {
  const { nonce } = (body as Body).paymentPayload.payload.authorization;
  const accepted = await database.exactAuthorization.count({ where: { nonce } });
  return accepted + (await database.paymentTerms.count({ where: { termsHash: nonce } })) > 0;
}

export async function waitUntilTaken(gateway: Pick<Gateway, 'database'>, body: object): Promise<void> {
  await expect.poll(() => isTaken(gateway, body), patience).toBe(true);
}

/**
 * Settles requests for one payment at once, while the gateway works. A caller that was answered before the outcome was known repeats its call,
 * as callers do, so that the answers do not depend on how long the gateway takes.
 */
export async function settleAtWork(
  gateway: Pick<Gateway, 'database' | 'settleDown'>,
  settle: (body: object) => Promise<SettleAnswer>,
  bodies: readonly [object, ...object[]],
): Promise<SettleAnswer[]> {
  const asked = bodies.map((body) => settle(body));
  await waitUntilTaken(gateway, bodies[0]);
  await gateway.settleDown();
  const answers = await Promise.all(asked);
  return await Promise.all(bodies.map((body, index) => answerOf(answers[index], () => settle(body))));
}

/** The answer, or that of the repeated call if the outcome was not known yet. */
export async function answerOf(
  answer: SettleAnswer | undefined,
  repeat: () => Promise<SettleAnswer>,
): Promise<SettleAnswer> {
  return answer === undefined || answer.retryable ? await repeat() : answer;
}
