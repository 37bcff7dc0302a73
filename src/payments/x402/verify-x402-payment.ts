import { evaluatePayment, newPaymentFault, requireFacilitatorRequest } from './evaluate-payment.ts';
import { rulesOf } from './scheme-rules.ts';
import { invalidAnswer, type VerifyAnswer } from './x402-types.ts';
import type { X402World } from './x402-world.ts';

/**
 * Returns whether a payment would be settled now. Writes nothing. A payment whose success has been reported before is not valid, because it
 * cannot pay for another response. Throws VALIDATION_ERROR if it is not an x402 request, and CHAIN_UNAVAILABLE.
 */
export async function verifyX402Payment(
  world: X402World,
  request: { scope: { merchantId: string; appId: string }; input: unknown },
): Promise<VerifyAnswer> {
  const asked = requireFacilitatorRequest(request.input);
  const rules = rulesOf(asked.paymentRequirements.scheme);
  if (rules === null) return invalidAnswer(unknownScheme(asked.paymentRequirements));
  const { evaluated, refusal } = await evaluatePayment(world, { scope: request.scope, asked });
  if (refusal) return invalidAnswer(refusal);
  const fault = await newPaymentFault(world, { evaluated, rules });
  return fault ? invalidAnswer(fault) : await rules.verify(world, evaluated);
}

export function unknownScheme({ scheme }: { scheme: string }) {
  return { reason: 'unsupported_scheme', message: `The scheme ${scheme} is not served here; exact and escrow are.` };
}
