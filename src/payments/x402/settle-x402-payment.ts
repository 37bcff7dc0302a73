import { evaluatePayment, newPaymentFault, requireFacilitatorRequest } from './evaluate-payment.ts';
import { rulesOf } from './scheme-rules.ts';
import { unknownScheme } from './verify-x402-payment.ts';
import { refusedSettlement, type SettleAnswer } from './x402-types.ts';
import type { X402World } from './x402-world.ts';

/** The most that a caller waits for an outcome; proxies end requests that take longer. */
const LONGEST_WAIT_MS = 45_000;

/**
 * Settles a payment once, regardless of the number of requests, and waits for the outcome. Returns `settlement_pending` if it is not known
 * in time: a repeated call returns it. Throws VALIDATION_ERROR if it is not an x402 request, and CHAIN_UNAVAILABLE before anything is
 * written.
 */
export async function settleX402Payment(
  world: X402World,
  request: { scope: { merchantId: string; appId: string }; input: unknown },
): Promise<SettleAnswer> {
  const asked = requireFacilitatorRequest(request.input);
  const { network, scheme, maxTimeoutSeconds } = asked.paymentRequirements;
  const rules = rulesOf(scheme);
  if (rules === null) return refusedSettlement(network, unknownScheme({ scheme }));
  const { evaluated, refusal } = await evaluatePayment(world, { scope: request.scope, asked });
  if (refusal) return refusedSettlement(network, refusal);
  const fault = await newPaymentFault(world, { evaluated, rules });
  if (fault) return refusedSettlement(network, fault);
  const waitMs = Math.min(maxTimeoutSeconds * 1000, LONGEST_WAIT_MS);
  return await rules.settle(world, { ...evaluated, waitMs });
}
